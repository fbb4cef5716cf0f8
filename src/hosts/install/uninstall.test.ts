import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleHostProgram } from '../../../test/host-program.ts';
import { createWorld, temporaryFolder, type World } from '../../../test/program.ts';
import { agentNames } from '../index.ts';

const folder = temporaryFolder('uninstall-command');
let program: string;
beforeAll(async () => {
  program = await bundleHostProgram(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newWorld = (): World => createWorld(folder, program);

describe('hookloop uninstall', () => {
  test('says which other files still call Hookloop, and how that ends', () => {
    const world = newWorld();
    for (const scope of [[], ['--shared'], ['--user']]) world.run(['install', 'claude', ...scope]);
    const user = join(world.home, '.claude/settings.json');
    expect(world.run(['uninstall', 'claude'])).toEqual({
      exit: 0,
      stdout: '',
      stderr: `Hookloop is no longer called from .claude/settings.local.json
claude still calls it from .claude/settings.json (hookloop uninstall claude --shared) and ${user} (hookloop uninstall claude --user)
`,
    });
    expect(world.run(['uninstall', 'claude', '--shared']).stderr).toBe(
      `Hookloop is no longer called from .claude/settings.json\nclaude still calls it from ${user} (hookloop uninstall claude --user)\n`,
    );
    expect(world.run(['uninstall', 'claude']).stderr).toBe(
      `.claude/settings.local.json has no entries of Hookloop\nclaude still calls it from ${user} (hookloop uninstall claude --user)\n`,
    );
    expect(world.run(['uninstall', 'claude', '--user']).stderr).toBe(
      `Hookloop is no longer called by claude (${user})\n`,
    );
    expect(world.run(['uninstall', 'claude', '--user']).stderr).toBe(`${user} has no entries of Hookloop\n`);
  });

  test('names the file of this checkout, and with --json every one', () => {
    const world = newWorld();
    for (const scope of [[], ['--user']]) world.run(['install', 'copilot', ...scope]);
    const left = { scope: 'project', file: world.pathOf('.github/copilot/settings.local.json') };
    expect(JSON.parse(world.run(['uninstall', 'copilot', '--user', '--dry-run', '--json']).stdout)).toMatchObject({
      changed: true,
      elsewhere: [left],
    });
    expect(world.run(['uninstall', 'copilot', '--user']).stderr).toContain(
      'copilot still calls it from .github/copilot/settings.local.json (hookloop uninstall copilot)\n',
    );
    expect(JSON.parse(world.run(['uninstall', 'copilot', '--json']).stdout).elsewhere).toEqual([]);
  });

  test.each(agentNames)(
    'is silent about a file that two scopes of %s share, and about files that cannot be read',
    agent => {
      const world = newWorld();
      world.write('.claude/settings.json', '{,}');
      world.write('~/.claude/settings.json', new Uint8Array([0xff]));
      mkdirSync(world.pathOf('.github/hooks/hookloop.json'), { recursive: true });
      world.run(['install', agent]);
      expect(world.run(['uninstall', agent]).stderr).toMatch(/^Hookloop is no longer called by .*\n$/);
    },
  );

  test.each(['claude', 'copilot', 'codex'])(
    'takes the folders that install made for %s with the last file in them',
    agent => {
      for (const scopes of [
        [[], ['--shared']],
        [['--shared'], []],
      ]) {
        const world = newWorld();
        for (const scope of scopes) world.run(['install', agent, ...scope]);
        for (const scope of scopes) world.run(['uninstall', agent, ...scope]);
        expect(readdirSync(world.project)).toEqual(['.git']);
        expect(existsSync(join(world.home, '.local/state/hookloop/bin/hookloop'))).toBe(false);
      }
    },
  );

  test('takes them also where someone has removed the file already', () => {
    const world = newWorld();
    for (const scope of [[], ['--shared']]) world.run(['install', 'copilot', ...scope]);
    rmSync(world.pathOf('.github/copilot'), { recursive: true });
    rmSync(world.pathOf('.github/hooks/hookloop.json'));
    expect(world.run(['uninstall', 'copilot', '--dry-run']).stderr).toContain('has no entries of Hookloop');
    expect(existsSync(world.pathOf('.github/hooks'))).toBe(true);
    for (const scope of [[], ['--shared']])
      expect(world.run(['uninstall', 'copilot', ...scope]).stderr).toContain('has no entries of Hookloop');
    expect(readdirSync(world.project)).toEqual(['.git']);
    expect(existsSync(join(world.home, '.local/state/hookloop/bin/hookloop'))).toBe(false);
  });

  test('leaves folders that were there before, and those that hold something', () => {
    const world = newWorld();
    mkdirSync(world.pathOf('.github'));
    for (const scope of [[], ['--shared']]) world.run(['install', 'copilot', ...scope]);
    world.write('.github/hooks/mine.json', '{}');
    for (const scope of [[], ['--shared']]) world.run(['uninstall', 'copilot', ...scope]);
    expect(readdirSync(world.pathOf('.github'), { recursive: true })).toEqual(['hooks', 'hooks/mine.json']);
    mkdirSync(world.pathOf('.claude'));
    world.run(['install', 'claude']);
    world.run(['uninstall', 'claude']);
    expect(existsSync(world.pathOf('.claude'))).toBe(true);
  });
});

test.each(agentNames)('install and uninstall of %s refuse a file that is not UTF-8 as one with errors', agent => {
  const world = newWorld();
  world.run(['install', agent]);
  const path = world.run(['uninstall', agent]).stderr.match(/\((.*)\)/)![1]!;
  const bytes = Buffer.from([0x7b, 0x7d, 0x0a, 0xff]);
  world.write(path, bytes);
  for (const doing of ['install', 'uninstall'])
    expect(world.run([doing, agent])).toEqual({
      exit: 78,
      stdout: '',
      stderr: `${path}:1:1: error: is not valid UTF-8\n`,
    });
  expect(readFileSync(world.pathOf(path))).toEqual(bytes);
});
