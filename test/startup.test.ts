import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleInto, createWorld, temporaryFolder } from './program.ts';

const folder = temporaryFolder('startup');
let program: string;
beforeAll(async () => {
  program = (await bundleInto(join(folder, 'bin'))).program;
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs one hook and gives the modules of Node that were loaded for it, beyond those that every program has. */
function modulesLoaded(...flags: readonly string[]): { ran: string; loaded: string[] } {
  const world = createWorld(folder, program, 'own');
  world.write('.sauna/hooks.json', '["echo ran >> ran"]');
  const spy = join(world.home, 'spy.cjs');
  const list = join(world.home, 'list');
  const writeList = `require('node:fs').writeFileSync(${JSON.stringify(list)}, process.moduleLoadList.join('\\n'))`;
  writeFileSync(spy, `process.on('exit', () => ${writeList});`);
  const loadedBy = (args: readonly string[]): string[] => {
    const options = { cwd: world.project, env: { PATH: process.env['PATH'], HOME: world.home }, input: '{}' };
    const { status, stderr } = spawnSync(process.execPath, [...flags, '--require', spy, ...args], options);
    expect(status, String(stderr)).toBe(0);
    return [...readFileSync(list, 'utf8').matchAll(/^NativeModule (.*)$/gm)].map(([, name]) => name!);
  };
  const dispatch = [program, 'dispatch', 'task.completing'];
  // The first runs read the hook files, until those are old enough for their plan to be kept.
  const plans = join(world.home, '.cache/hookloop/plans');
  for (const deadline = Date.now() + 20_000; !existsSync(plans) && Date.now() < deadline; ) loadedBy(dispatch);
  rmSync(join(world.project, 'ran'));
  const always = new Set(loadedBy(['-e', '0']));
  const loaded = loadedBy(dispatch).filter(name => !always.has(name));
  return { ran: readFileSync(join(world.project, 'ran'), 'utf8'), loaded };
}

test('a hook runs without the parts of Node that take long to load', () => {
  const { ran, loaded } = modulesLoaded();
  expect(ran).toBe('ran\n');
  expect(loaded).toContain('vm');
  const slow = ['crypto', 'http', 'tls', 'worker_threads', 'readline', 'zlib'];
  expect(loaded.filter(name => slow.includes(name))).toEqual([]);
});

test('nothing that Node keeps to itself is used: with deprecations as errors a hook runs', () => {
  expect(modulesLoaded('--pending-deprecation', '--throw-deprecation').ran).toBe('ran\n');
});
