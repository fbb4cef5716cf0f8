import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { loadHooks } from './load.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-roots-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let root: string;
let home: string;
beforeEach(() => {
  root = mkdtempSync(join(base, 'r-'));
  home = mkdtempSync(join(base, 'home-'));
});

const at = (path: string): string => join(root, path);
const load = (folder: string, roots: readonly string[] = []) =>
  loadHooks({ cwd: at(folder), env: { HOME: home }, roots });
const rootsFrom = (folder: string): string[] => {
  const { places } = load(folder);
  return [places.root, ...(places.outer ?? [])].map(found => found.slice(root.length + 1) || '.');
};
const gates = (folder: string): string[] => load(folder).hooks.map(({ source }) => source.file);

describe('a folder is a root', () => {
  test.each([
    ['.git', '.git/HEAD', ''],
    ['gates of sauna', '.sauna/hooks.json', '["make test"]'],
    ['hooks of Claude Code', '.claude/settings.json', claude('exit 2')],
    ['hooks of nyzhi', '.nyzhi/config.toml', '[[agent.hooks]]\nevent = "post_tool"\ncommand = "x"\n'],
    ['a script of babysitter', '.a5c/hooks/on-run-start/a.sh', '#!/bin/sh\n'],
    ['a hook file that cannot be read as a whole', '.sauna/hooks.json', '["make'],
    ['root: true', 'hookloop.yaml', 'root: true\n'],
  ])('because of %s', (_what, file, text) => {
    write('.git/HEAD');
    write(`sub/${file}`, text);
    write('sub/deep/x.txt');
    expect(rootsFrom('sub/deep')[0]).toBe('sub');
  });

  test.each([
    ['settings of Claude Code without hooks', '.claude/settings.json', '{"permissions":{"allow":["Read"]},"hooks":{}}'],
    [
      'entries that install wrote',
      '.claude/settings.local.json',
      claude("'/opt/hookloop' hook claude PreToolUse || exit 2 # hookloop"),
    ],
    ['a config.toml of another program', 'config.toml', '[agent]\nname = "x"\n[hooks]\n'],
    ['an empty list of gates', '.sauna/hooks.json', '{"version":1,"hooks":[]}'],
    ['an empty file', '.iteratr.hooks.yml', ''],
    ['settings of ours without hooks', 'hookloop.yaml', 'agent: claude\n'],
    ['runs of babysitter', '.a5c/runs/1.json', '{}'],
    ['sessions of ours', '.hookloop/sessions/a/journal.jsonl', ''],
  ])('not because of %s', (_what, file, text) => {
    write('.git/HEAD');
    write('.sauna/hooks.json', '["make test"]');
    write(`sub/${file}`, text);
    expect(rootsFrom('sub')).toEqual(['.']);
  });

  test('because of its sessions or settings, where there is neither a hook nor a repository', () => {
    write('a/.hookloop/sessions/s/journal.jsonl');
    write('a/b/x.txt');
    write('c/hookloop.yaml', 'agent: claude\n');
    write('c/d/x.txt');
    expect([rootsFrom('a/b'), rootsFrom('c/d')]).toEqual([['a'], ['c']]);
  });

  test('not in the home folder because of the user’s own settings', () => {
    writeAt(join(home, '.claude/settings.json'), claude('exit 2'));
    const cwd = join(home, 'project');
    mkdirSync(cwd, { recursive: true });
    expect(loadHooks({ cwd, env: { HOME: home } }).places.root).toBe(cwd);
  });
});

describe('outer roots', () => {
  beforeEach(() => {
    write('.git/HEAD');
    write('.sauna/hooks.json', '["outer test"]');
    write('.iteratr.hooks.yml', 'hooks:\n  session_start: [{command: echo outer}]\n');
    write('mid/.nyzhi/config.toml', '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "mid"\nblock = true\n');
    write('mid/in/.sauna/hooks.json', '["inner test"]');
  });

  test('of the same repository add their gates, nearest root first, under names seen from the root in use', () => {
    expect(rootsFrom('mid/in')).toEqual(['mid/in', 'mid', '.']);
    expect(load('mid/in').hooks).toMatchObject([
      { name: 'inner test', source: { file: '.sauna/hooks.json' } },
      { name: 'mid', id: expect.stringMatching(/^nyzhi:\.\.\/\.nyzhi\/config\.toml#/), root: at('mid') },
      { name: 'outer test', source: { file: '../../.sauna/hooks.json' }, root },
    ]);
  });

  test('do not add what can refuse nothing', () => {
    expect(gates('mid/in')).not.toContain('../../.iteratr.hooks.yml');
    expect(gates('.')).toContain('.iteratr.hooks.yml');
  });

  test('refuse with their broken files too', () => {
    write('.sauna/hooks.json', '["outer');
    expect(load('mid/in').problems).toMatchObject([{ refuses: true, at: { file: '../../.sauna/hooks.json' } }]);
  });

  test('end at a repository, and a folder without one has a single root', () => {
    write('mid/in/.git/HEAD');
    expect(rootsFrom('mid/in')).toEqual(['mid/in']);
    rmSync(at('.git'), { recursive: true });
    expect(rootsFrom('mid')).toEqual(['mid']);
  });

  test('are not switched off by a file of the nested root', () => {
    write('.claude/settings.json', claude('exit 2'));
    write('mid/in/.claude/settings.json', '{"disableAllHooks":true}');
    const hook = load('mid/in').hooks.find(({ source }) => source.file === '../../.claude/settings.json');
    expect(hook).toBeDefined();
    expect(hook).not.toHaveProperty('disabled');
    expect(hook?.match).not.toHaveProperty('notAgent');
  });

  test('that a session has had stay, whatever appears', () => {
    write('mid/in/.git/HEAD');
    expect(load('mid/in', [root]).hooks.map(({ source }) => source.file)).toEqual([
      '.sauna/hooks.json',
      '../../.sauna/hooks.json',
    ]);
  });

  test('are asked once where REPO_ROOT leads to one of them', () => {
    write('.a5c/hooks/PreToolUse/a.sh', '#!/bin/sh\n');
    const env = { HOME: home, REPO_ROOT: root };
    const { hooks } = loadHooks({ cwd: at('mid/in'), env });
    expect(hooks.filter(({ source }) => source.dialect === 'babysitter')).toHaveLength(1);
  });

  test('that say root: true are told, the nearest first', () => {
    write('mid/hookloop.yaml', 'root: true\n');
    write('hookloop.yaml', 'root: true\n');
    expect(load('mid/in').ends).toEqual([at('mid')]);
  });
});

describe('dead links never count as absent', () => {
  test.each([
    ['a hook file', '.sauna/hooks.json', '.sauna/hooks.json'],
    ['the folder of a hook file', '.sauna', '.sauna'],
    ['the folder of scripts', '.a5c/hooks', '.a5c/hooks'],
    ['the folder of all that', '.a5c', '.a5c'],
    ['the scripts of one type', '.a5c/hooks/PreToolUse', '.a5c/hooks/PreToolUse'],
  ])('in place of %s', (_what, link, told) => {
    write('.git/HEAD');
    mkdirSync(dirname(at(link)), { recursive: true });
    symlinkSync('nowhere', at(link));
    expect(load('.').problems).toMatchObject([{ message: 'is a link to nothing', refuses: true, at: { file: told } }]);
  });
});

function claude(command: string): string {
  return JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } });
}

function write(path: string, text = ''): void {
  writeAt(at(path), text);
}

function writeAt(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
}
