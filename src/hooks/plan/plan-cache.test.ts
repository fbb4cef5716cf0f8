import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { compilePlan } from './compile.ts';
import { type PlanRequest, readPlan } from './plan-cache.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-plan-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let root: string;
let home: string;
const request = (env: Record<string, string> = {}, only?: string): PlanRequest => ({
  cwd: root,
  only,
  env: { HOME: home, ...env },
});

beforeEach(() => {
  const folder = mkdtempSync(join(base, 'c-'));
  [root, home] = [join(folder, 'project'), join(folder, 'home')];
  write('.git/HEAD', '');
  write('.sauna/hooks.json', '["make test"]');
  write('.a5c/hooks/on-run-start/a.sh', '#!/bin/sh\n', 0o755);
  write('../home/.config/hookloop/hooks.yaml', 'hooks: {}\n');
  age();
});

describe('a compiled plan', () => {
  test('is the plan that was compiled, read back without any parser', () => {
    const plan = compilePlan(request());
    expect(readPlan(request())?.plan).toEqual(plan);
    expect(plan.hooks.map(hook => hook.name)).toEqual(['make test', 'a.sh']);
  });

  const changes: [string, () => void][] = [
    [
      'a hook file is edited without a change of its size',
      () => write('.sauna/hooks.json', '["rake test"]'.slice(0, 13)),
    ],
    [
      'a hook file is edited and its times are set back',
      () => {
        write('.sauna/hooks.json', '["mike test"]');
        utimesSync(join(root, '.sauna/hooks.json'), new Date(1e12), new Date(1e12));
      },
    ],
    [
      'a hook file is replaced by a rename',
      () => {
        unlinkSync(join(root, '.sauna/hooks.json'));
        write('.sauna/hooks.json', '["make test"]');
      },
    ],
    ['a hook file appears', () => write('.iteratr.hooks.yml', 'hooks: {}')],
    ['a hook file disappears', () => unlinkSync(join(root, '.sauna/hooks.json'))],
    ['a user file appears', () => write('../home/.claude/settings.json', '{}')],
    ['a script appears', () => write('.a5c/hooks/on-run-start/b.sh', '#!/bin/sh\n', 0o755)],
    ['a script of a new type appears', () => write('.a5c/hooks/on-run-fail/b.sh', '#!/bin/sh\n', 0o755)],
    ['a script is no longer executable', () => chmodSync(join(root, '.a5c/hooks/on-run-start/a.sh'), 0o644)],
    [
      'a script becomes a link',
      () => {
        unlinkSync(join(root, '.a5c/hooks/on-run-start/a.sh'));
        symlinkSync('/bin/true', join(root, '.a5c/hooks/on-run-start/a.sh'));
      },
    ],
    ['the root moves because a folder above loses its mark', () => rmSync(join(root, '.git'), { recursive: true })],
  ];
  test.each(changes)('is stale when %s', (_what, change) => {
    compilePlan(request());
    expect(readPlan(request())).toBeDefined();
    change();
    expect(readPlan(request())).toBeUndefined();
  });

  test('stays good while git works and files of the project come and go', () => {
    const plan = compilePlan(request());
    write('.git/index.lock', '');
    unlinkSync(join(root, '.git/index.lock'));
    write('src/new.ts', '');
    expect(readPlan(request())?.plan).toEqual(plan);
    write('.git/index', '');
    compilePlan(request({ XDG_CONFIG_HOME: root }));
    expect(readPlan(request({ XDG_CONFIG_HOME: root }))).toBeDefined();
  });

  test('belongs to the folder, the dialect and the variables that steer the search', () => {
    compilePlan(request());
    expect(readPlan({ ...request(), cwd: join(root, '.sauna') })).toBeUndefined();
    expect(readPlan(request({}, 'sauna'))).toBeUndefined();
    for (const name of ['XDG_CONFIG_HOME', 'CLAUDE_PLUGIN_ROOT', 'REPO_ROOT'])
      expect(readPlan(request({ [name]: root })), name).toBeUndefined();
    expect(readPlan(request({ ANYTHING_ELSE: 'x' }))).toBeDefined();
  });

  test('is not kept when a file changed while it was read, since a second change might not show', () => {
    write('.sauna/hooks.json', '["made just now"]');
    compilePlan(request());
    expect(readPlan(request())).toBeUndefined();
  });

  test('is not kept when there are errors, so that they are told every time', () => {
    write('.sauna/hooks.json', '[');
    age();
    expect(compilePlan(request()).problems).toHaveLength(1);
    expect(readPlan(request())).toBeUndefined();
  });

  test.each(['', '{', 'null', '[]', '{"key":1}', '\0'])('is ignored when its file holds %j', garbage => {
    compilePlan(request());
    for (const path of kept()) writeFileSync(path, garbage);
    expect(readPlan(request())).toBeUndefined();
  });

  test('that others may have written is not trusted', () => {
    compilePlan(request());
    for (const path of kept()) chmodSync(path, 0o666);
    expect(readPlan(request())).toBeUndefined();
  });

  test('is private', () => {
    compilePlan(request());
    const [path] = kept();
    expect([statSync(path!).mode & 0o777, statSync(join(path!, '..')).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  test('that cannot be kept is no error', () => {
    write('../home/.cache', 'a file where the folder would be');
    expect(compilePlan(request()).hooks).toHaveLength(2);
    expect(compilePlan({ cwd: root, only: undefined, env: {} }).hooks).toHaveLength(2);
  });
});

function kept(): string[] {
  const folder = join(home, '.cache/hookloop/plans');
  return readdirSync(folder).map(name => join(folder, name));
}

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text, { mode });
  chmodSync(join(root, path), mode);
}

/** The change time of a file cannot be set back: wait until everything is older than one step of the clock. */
function age(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 120);
}
