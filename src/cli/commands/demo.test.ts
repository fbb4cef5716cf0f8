import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleHostProgram } from '../../../test/host-program.ts';
import { createWorld, temporaryFolder } from '../../../test/program.ts';
import { ownCommand } from './demo.ts';

const folder = temporaryFolder('demo');
let program: string;
beforeAll(async () => {
  program = await bundleHostProgram(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('what the demo tells to try next works as it is typed, though hookloop is not on PATH', () => {
  const world = createWorld(folder, program);
  const env = { TMPDIR: folder, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
  const { exit, stderr } = world.run(['demo', '--quiet'], { env });
  expect(exit).toBe(0);
  const lines = stderr.split('What to try next:\n')[1]!.split('\n');
  const typed = lines.map(line => /^ {2}(\S.*?)(?: {2,}.*)?$/.exec(line)?.[1]).filter(line => line !== undefined);
  const [cd = '', show = '', log = '', list = '', run = ''] = typed;
  const ran = world.run([], { env, shell: [cd, show, log, list].join(' && ') });
  expect(ran).toMatchObject({ exit: 0, stderr: '' });
  const [summary, everything, hooks] = ['demo  completed\n', 'session closed: completed\n', '.sauna/hooks.json:1'];
  for (const text of [summary, everything, hooks]) expect(ran.stdout).toContain(text);
  expect(run).toBe(`node ${program} run --tasks tasks.md --agent claude`);
});

test('our command is our name where it leads to us for good, and else what starts the file', () => {
  const [bin, others, passing] = [join(folder, 'bin'), join(folder, 'others'), join(folder, 'node_modules/.bin')];
  for (const made of [bin, others, passing]) mkdirSync(made, { recursive: true });
  symlinkSync(program, join(bin, 'hookloop'));
  symlinkSync(program, join(passing, 'hookloop'));
  symlinkSync('/bin/true', join(others, 'hookloop'));
  expect(ownCommand(program, `/nowhere:${passing}:${bin}:${others}`)).toBe('hookloop');
  for (const path of ['', '.', passing, `${others}:${bin}`]) expect(ownCommand(program, path)).toBe(`node ${program}`);
  expect(ownCommand('/my folder/hookloop.cjs', '')).toBe("node '/my folder/hookloop.cjs'");
});
