import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { loadHooks } from './load.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-load-')));
afterAll(() => {
  execFileSync('chmod', ['-R', 'u+rwx', base]);
  rmSync(base, { recursive: true, force: true });
});
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(base, 'p-'));
  mkdirSync(join(root, '.git'));
});
const load = (cwd = root) => loadHooks({ cwd, env: { HOME: join(base, 'home') } });

describe('what cannot be read never counts as absent', () => {
  test('a config.toml with gates that is not UTF-8', () => {
    write(
      'config.toml',
      Buffer.concat([
        Buffer.from('[[agent.hooks]]\nevent = "pre_tool"\nblock = true\ncommand = "x'),
        Buffer.from([0xff]),
        Buffer.from('"\n'),
      ]),
    );
    expect(load().problems).toMatchObject([{ message: 'is not valid UTF-8', refuses: true }]);
  });

  test('a config.toml with gates that is too large', () => {
    write('config.toml', `[[agent.hooks]]\n${'#'.repeat(1024 * 1024)}\n`);
    expect(load().problems).toMatchObject([{ refuses: true }]);
  });

  test('a link to nothing', () => {
    mkdirSync(join(root, '.sauna'));
    execFileSync('ln', ['-s', 'nowhere', join(root, '.sauna/hooks.json')]);
    expect(load().problems).toMatchObject([{ message: 'is a link to nothing', refuses: true }]);
  });

  test.skipIf(process.getuid?.() === 0)('a folder of scripts that may not be entered', () => {
    write('.a5c/hooks/PreToolUse/x.sh', '#!/bin/sh\nexit 2\n');
    chmodSync(join(root, '.a5c/hooks'), 0);
    expect(load().problems).toMatchObject([{ refuses: true }]);
  });
});

test('a config.toml of another program is none of our business', () => {
  write('config.toml', 'baseURL = "https://example.com"\n[params\n');
  expect(load()).toMatchObject({ hooks: [], problems: [], files: [] });
});

test('hooks in a plain table of config.toml count as well', () => {
  write('config.toml', '[agent]\nhooks = [{ event = "pre_tool", command = "x", block = true }]\n');
  expect(load().hooks).toMatchObject([{ event: 'tool.calling', onFailure: 'block' }]);
});

test('a hidden script does not run, as a shell’s *.sh leaves it out', () => {
  write('.a5c/hooks/on-score/.hidden.sh', '#!/bin/sh\n');
  expect(load().hooks).toEqual([]);
});

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}
