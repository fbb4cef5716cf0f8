import { expect, test, vi } from 'vitest';
import { program, runProgram, temporaryFolder } from '../fixtures/programs.ts';
import { markVariable } from './stop.ts';

test('a program that ends says its exit code and what it printed', async () => {
  expect(await runProgram('exit-with', ['3'])).toEqual({
    kind: 'exited',
    exitCode: 3,
    stdout: '',
    stderr: 'exit-with 3\n',
  });
});

test('a program gets its arguments untouched, its folder and its environment', async () => {
  const folder = temporaryFolder();
  const script = 'printf "%s|" "$@"; pwd; printf %s "$GREETING${ABSENT-none}"';
  const outcome = await runProgram('/bin/sh', ['-c', script, 'sh', 'a b', '$(x)', ''], {
    cwd: folder,
    env: { PATH: process.env['PATH'], GREETING: 'grüß "dich"', ABSENT: undefined },
  });
  expect(outcome).toMatchObject({ exitCode: 0, stdout: `a b|$(x)||${folder}\ngrüß "dich"none` });
});

test('a program leads a process group of its own', async () => {
  const outcome = await runProgram('/bin/sh', ['-c', 'echo $$; ps -o pgid= -p $$']);
  const [pid, group] = outcome.kind === 'exited' ? outcome.stdout.trim().split('\n') : [];
  expect(Number(group)).toBe(Number(pid));
});

test.each(['KILL', 'TERM', 'SEGV', 'HUP'])('death by SIG%s is killed, never a success', async signal => {
  expect(await runProgram('dies-by-signal', [signal])).toEqual({
    kind: 'killed',
    signal: `SIG${signal}`,
    stdout: 'before\n',
    stderr: '',
  });
});

test('what is given on stdin arrives, also when it is long', async () => {
  const stdin = 'zeile ü\n'.repeat(50_000);
  expect(await runProgram('echo-stdin', [], { stdin })).toMatchObject({ kind: 'exited', exitCode: 0, stdout: stdin });
});

test('without stdin a program that reads finds the end at once', async () => {
  expect(await runProgram('echo-stdin')).toEqual({ kind: 'exited', exitCode: 0, stdout: '', stderr: '' });
});

test.each([
  ['10 bytes', 10],
  ['64 KiB', 64 * 1024],
  ['1 MB', 1_000_000],
])('a program that ignores a stdin of %s succeeds, 20 times of 20', async (_size, length) => {
  const stdin = 'x'.repeat(length);
  for (let turn = 0; turn < 20; turn += 1) {
    expect(await runProgram('/bin/true', [], { stdin })).toEqual({
      kind: 'exited',
      exitCode: 0,
      stdout: '',
      stderr: '',
    });
  }
});

test.each(['never-reads-stdin', 'closes-stdin'])('%s with 1 MB of stdin ends as it likes', async name => {
  const outcome = await runProgram(name, [], { stdin: 'x'.repeat(1_000_000) });
  expect(outcome).toEqual({ kind: 'exited', exitCode: 0, stdout: 'done\n', stderr: '' });
});

test('characters that arrive byte by byte are whole', async () => {
  expect(await runProgram('prints-split-utf8')).toMatchObject({ stdout: 'é€😀\n' });
});

test('bytes that are not UTF-8 become replacement characters and NUL stays', async () => {
  expect(await runProgram('prints-binary')).toMatchObject({ exitCode: 0, stdout: 'a\ufffd\ufffdb\0c\ufffd' });
});

test('stderr is relayed line by line as it comes and captured all the same', async () => {
  const lines: { line: string; atMs: number }[] = [];
  const script = 'echo one >&2; sleep 0.3; printf "two\\nthree" >&2';
  const outcome = await runProgram('/bin/sh', ['-c', script], {
    relayStderr: line => lines.push({ line, atMs: performance.now() }),
  });
  expect(lines.map(({ line }) => line)).toEqual(['one', 'two', 'three']);
  expect(lines[1]!.atMs - lines[0]!.atMs).toBeGreaterThan(150);
  expect(outcome).toMatchObject({ stderr: 'one\ntwo\nthree' });
});

test.each([
  ['an argument', { args: ['-c', 'echo one\0two'] }],
  ['the environment', { env: { PATH: process.env['PATH'], A: 'one\0two' } }],
])('NUL in %s is refused, not cut off', async (_what, more) => {
  expect(await runProgram('/bin/sh', ['-c', ''], more)).toEqual({
    kind: 'not-started',
    reason: 'a NUL character in its command, arguments or environment',
  });
});

test('a signal that is already aborted starts nothing', async () => {
  const folder = temporaryFolder();
  const outcome = await runProgram('/bin/sh', ['-c', 'touch started'], { cwd: folder, signal: AbortSignal.abort() });
  expect(outcome).toEqual({ kind: 'cancelled' });
  expect(await runProgram('/bin/ls', [folder])).toMatchObject({ stdout: '' });
});

test('a mark of an outer run is kept in front of its own', async () => {
  const script = ['-c', `printf %s "$${markVariable}"`];
  const outcome = await runProgram('/bin/sh', script, { env: { [markVariable]: 'outer' }, marker: 'inner' });
  expect(outcome).toMatchObject({ stdout: 'outer/inner' });
});

test('forty programs under one signal leave no listener, no timer and no warning behind', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  const { signal } = new AbortController();
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, () => runProgram(program('exit-with'), ['0'], { signal, timeoutMs: 600_000 })),
  );
  const handles = (): number => process.getActiveResourcesInfo().filter(name => /Process|Pipe/.test(name)).length;
  await vi.waitFor(() => expect(handles()).toBeLessThan(5), 10_000);
  process.off('warning', note);
  expect(outcomes.every(outcome => outcome.kind === 'exited' && outcome.exitCode === 0)).toBe(true);
  expect(warnings).toEqual([]);
});
