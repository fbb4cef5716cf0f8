import { expect, test } from 'vitest';
import { elapsedMs, endLater, env, eventually, isRunning, program, runProgram } from '../fixtures/programs.ts';
import { createMark, findSurvivors, stopProcesses } from './stop.ts';

const pidIn = (outcome: object): number => {
  const pid = Number('stdout' in outcome ? outcome.stdout : Number.NaN);
  expect(pid).toBeGreaterThan(1);
  return pid;
};

test('a program that ends on SIGTERM is timed out, with what it had printed', async () => {
  const ms = await elapsedMs(async () => {
    const outcome = await runProgram('/bin/sh', ['-c', 'echo early; sleep 30; echo late'], { timeoutMs: 1000 });
    expect(outcome).toEqual({ kind: 'timed-out', afterMs: 1000, stdout: 'early\n', stderr: '' });
  });
  expect(ms).toBeGreaterThanOrEqual(1000);
  expect(ms).toBeLessThan(20_000);
});

test('a program that exits with 0 on SIGTERM is still timed out', async () => {
  const script = 'trap "exit 0" TERM; while :; do sleep 0.05; done';
  expect(await runProgram('/bin/sh', ['-c', script], { timeoutMs: 100 })).toMatchObject({ kind: 'timed-out' });
});

test('a program that ignores SIGTERM is gone after the grace period, and its children too', async () => {
  const marker = createMark();
  const ms = await elapsedMs(async () => {
    const outcome = await runProgram('ignore-sigterm', [], { timeoutMs: 700, graceMs: 300, marker });
    expect(outcome).toEqual({ kind: 'timed-out', afterMs: 700, stdout: 'ready\n', stderr: '' });
  });
  expect(ms).toBeGreaterThanOrEqual(1000);
  expect(ms).toBeLessThan(20_000);
  expect(findSurvivors({ mark: marker }).escaped).toEqual([]);
});

test('a member of the group that outlives its leader is ended after a timeout', async () => {
  const pid = pidIn(await runProgram('survivor-in-group', [], { timeoutMs: 800, graceMs: 200 }));
  expect(isRunning(pid)).toBe(false);
});

test.each(['polite', 'deaf'])('a %s process that escaped with setsid is ended after a timeout', async manner => {
  const pid = pidIn(await runProgram('setsid-escape', [manner], { timeoutMs: 800, graceMs: 200 }));
  expect(isRunning(pid)).toBe(false);
});

test('a stopped program reacts to SIGTERM within the grace period', async () => {
  const ms = await elapsedMs(async () => {
    expect(await runProgram('stops-itself', [], { timeoutMs: 500, graceMs: 10_000 })).toMatchObject({
      kind: 'timed-out',
    });
  });
  // The grace period would be over after ten.
  expect(ms).toBeLessThan(9000);
});

test('a program that starts new children all the time is ended whole', async () => {
  const marker = createMark();
  const script = 'trap "" TERM; while :; do (trap "" TERM; sleep 5) & sleep 0.01; done';
  await runProgram('/bin/sh', ['-c', script], { timeoutMs: 300, graceMs: 100, marker });
  expect(findSurvivors({ mark: marker }).escaped).toEqual([]);
});

test('a cancel ends the program and its escaped children', async () => {
  const cancel = new AbortController();
  const marker = createMark();
  const running = runProgram('setsid-escape', [], { timeoutMs: null, graceMs: 200, marker, signal: cancel.signal });
  await eventually(() => findSurvivors({ mark: marker }).escaped.length >= 2);
  cancel.abort();
  expect(await running).toEqual({ kind: 'cancelled' });
  expect(findSurvivors({ mark: marker }).escaped).toEqual([]);
});

test('a child of a program that ended in time is left alone', async () => {
  const pid = endLater(pidIn(await runProgram('leaves-grandchild')));
  expect(isRunning(pid)).toBe(true);
});

test('a grandchild that keeps the pipes open does not hold us up and is left alone', async () => {
  let pid = 0;
  const ms = await elapsedMs(async () => {
    pid = endLater(pidIn(await runProgram('holds-pipe')));
  });
  expect(ms).toBeLessThan(20_000);
  expect(isRunning(pid)).toBe(true);
});

test('what a program printed last is read even if we were busy when it ended', async () => {
  const running = runProgram('/bin/sh', ['-c', 'sleep 30 & head -c 60000 /dev/zero; echo $! >&2']);
  const busyUntilMs = performance.now() + 700;
  await new Promise(resolve => setTimeout(resolve, 5));
  while (performance.now() < busyUntilMs);
  const outcome = await running;
  if (outcome.kind !== 'exited') throw new Error(outcome.kind);
  endLater(Number(outcome.stderr));
  expect(outcome.stdout).toHaveLength(60_000);
});

test('a timeout of 60 days does not fire', async () => {
  const outcome = await runProgram('/bin/sleep', ['0.3'], { timeoutMs: 60 * 86_400_000 });
  expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0 });
});

test('everything under an outer mark can be found and stopped later', async () => {
  const outer = createMark();
  const marked = { ...env, HOOKLOOP_MARK: outer };
  const running = runProgram(program('ignore-sigterm'), [], { env: marked, timeoutMs: null });
  // With its child: only then it ignores the signal for certain.
  await eventually(() => findSurvivors({ mark: outer }).escaped.length > 1);
  await stopProcesses({ mark: outer }, 100);
  expect(await running).toEqual({ kind: 'killed', signal: 'SIGKILL', stdout: 'ready\n', stderr: '' });
});
