import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { program, temporaryFolder } from '../fixtures/programs.ts';
import { sh, shellIn } from '../fixtures/shell.ts';

const filesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

test('sh and bash run a script, exec runs a program with its arguments', async () => {
  const { run } = shellIn();
  expect(await run(sh('echo "[$0] ${BASH_VERSION:+bash}"'))).toMatchObject({ exitCode: 0, stdout: '[sh] \n' });
  expect(await run({ via: 'bash', script: 'echo "${BASH_VERSION:+bash}"' })).toMatchObject({ stdout: 'bash\n' });
  const exec = { via: 'exec', file: 'printf', args: ['%s|', 'a b', '$HOME'] } as const;
  expect(await run(exec)).toMatchObject({ stdout: 'a b|$HOME|' });
});

test("it runs in the root or the caller's folder, never in the event's", async () => {
  const root = temporaryFolder();
  const caller = temporaryFolder();
  const { run } = shellIn(root);
  const places = { root, repo: root, cwd: caller, home: root, config: root };
  expect(await run(sh('pwd'), { places })).toMatchObject({ stdout: `${root}\n` });
  expect(await run(sh('pwd'), { places }, 'caller')).toMatchObject({ stdout: `${caller}\n` });
});

test("the hook sees the session's environment, and its own variables above it", async () => {
  const { run } = shellIn(temporaryFolder(), { env: { PATH: process.env['PATH'], A: 'session', B: 'session' } });
  const outcome = await run(sh('echo $A $B $C'), { presentation: { env: { B: 'hook', C: 'hook' } } });
  expect(outcome).toMatchObject({ stdout: 'session hook hook\n' });
});

test('a variable that the script uses as code must hold a number or a plain id', async () => {
  const { run } = shellIn();
  const script = { via: 'sh', script: 'sh -c "echo ${ID}"', plain: { ID: 'id' } } as const;
  for (const ID of ['7', 'task-3.b', '']) {
    expect(await run(script, { presentation: { env: { ID } } })).toMatchObject({ stdout: `${ID}\n` });
  }
  for (const ID of ['a; touch pwned', '$(id)', '-e', 'a\nb'])
    expect(await run(script, { presentation: { env: { ID } } })).toEqual({
      kind: 'not-started',
      reason: 'ID is neither a number nor a plain id, and the command would run it as code',
    });
});

test('an id that the script takes for a name must be a number', async () => {
  const { run } = shellIn();
  const script = { via: 'bash', script: 'echo $(( ${ID} + 1 ))', plain: { ID: 'number' } } as const;
  expect(await run(script, { presentation: { env: { ID: '7' } } })).toMatchObject({ stdout: '8\n' });
  const env = { ID: 'HOOK_ERROR', HOOK_ERROR: 'a[$(touch pwned)]' };
  expect(await run(script, { presentation: { env } })).toEqual({
    kind: 'not-started',
    reason: 'ID is not a number, and the command would take it for the name of a variable',
  });
});

test('stdin is fed and stderr lines are relayed with their prefix', async () => {
  const lines: string[] = [];
  const { run } = shellIn(temporaryFolder(), { relay: line => lines.push(line) });
  const presentation = { env: {}, stdin: '{"a":1}\n', relayStderr: '[gate] ' };
  const outcome = await run(sh('cat; echo one >&2; printf two >&2'), { presentation });
  expect(outcome).toEqual({ kind: 'exited', exitCode: 0, stdout: '{"a":1}\n', stderr: 'one\ntwo' });
  expect(lines).toEqual(['[gate] one', '[gate] two']);
});

test('without the wish of its dialect stderr is not relayed', async () => {
  const lines: string[] = [];
  const { run } = shellIn(temporaryFolder(), { relay: line => lines.push(line) });
  await run(sh('echo one >&2'));
  expect(lines).toEqual([]);
});

test.each(['sh', 'bash'] as const)(
  'a %s script too long for an argument runs from a file that goes away',
  async via => {
    const { run, scratchFolder } = shellIn();
    for (const length of [128 * 1024 - 1, 128 * 1024, 3_000_000]) {
      const script = 'echo ran; cat; exit 7 #'.padEnd(length, 'ä').slice(0, length);
      const outcome = await run({ via, script }, { presentation: { env: {}, stdin: 'in' } });
      expect(outcome).toMatchObject({ kind: 'exited', exitCode: 7, stdout: 'ran\nin' });
      expect(filesIn(scratchFolder)).toEqual([]);
    }
  },
);

test('a long script that cannot be written is said, not run', async () => {
  const scratch = {
    write(): string {
      throw new Error('ENOSPC: no space left on device');
    },
    remove() {},
  };
  const { run } = shellIn(temporaryFolder(), { scratch });
  expect(await run(sh('#'.repeat(200_000)))).toEqual({
    kind: 'not-started',
    reason: 'its script could not be written to a file: ENOSPC: no space left on device',
  });
});

test('NUL characters in a command are removed with a warning', async () => {
  const { run, warnings } = shellIn();
  expect(await run(sh('echo a\0b'))).toMatchObject({ stdout: 'ab\n' });
  expect(await run({ via: 'exec', file: 'echo', args: ['c\0d'] })).toMatchObject({ stdout: 'cd\n' });
  expect(warnings).toEqual(Array(2).fill('NUL characters were removed from the command'));
});

test('an empty script run directly is not a success', async () => {
  const { folder, run } = shellIn();
  const path = join(folder, 'empty.sh');
  writeFileSync(path, '', { mode: 0o755 });
  symlinkSync('empty.sh', join(folder, 'link.sh'));
  const reason = (file: string) => ({ kind: 'not-started', reason: `the script is empty: ${file}` });
  expect(await run({ via: 'exec', file: path, args: [] })).toEqual(reason(path));
  expect(await run({ via: 'exec', file: './link.sh', args: [] })).toEqual(reason('./link.sh'));
  expect(await run({ via: 'exec', file: 'true', args: [] })).toMatchObject({ kind: 'exited', exitCode: 0 });
});

test.each([
  ['sh syntax error', sh('if then'), 'exited'],
  ['command not found', sh('no-such-command'), 'exited'],
  ['not executable', sh('./data'), 'exited'],
  ['missing program', { via: 'exec', file: './missing', args: [] }, 'not-started'],
  ['bad interpreter', { via: 'exec', file: program('bad-interpreter'), args: [] }, 'not-started'],
  ['syntax error in a file', { via: 'exec', file: program('syntax-error'), args: [] }, 'exited'],
  ['death by signal', sh('kill -9 $$'), 'killed'],
  ['timeout', sh('sleep 20'), 'timed-out'],
] as const)('%s is never a success', async (_what, invocation, kind) => {
  const { folder, run } = shellIn();
  writeFileSync(join(folder, 'data'), 'text');
  const outcome = await run(invocation, { timeoutMs: 500 });
  expect(outcome.kind).toBe(kind);
  if (outcome.kind === 'exited') expect(outcome.exitCode).not.toBe(0);
});

test('a background run without detaching runs like any other', async () => {
  const { run } = shellIn();
  expect(await run(sh('sleep 0.1; echo done'), { background: true })).toMatchObject({ stdout: 'done\n' });
});
