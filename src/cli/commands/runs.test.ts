import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSessionFolder } from '../../session/file-store/folder.ts';
import { childFiles, type SessionFiles, sessionFiles } from '../../session/paths.ts';
import { journalOf, runIn, temporaryProject, writeInto, writeSession } from '../../session/state/fixtures/project.ts';
import { closed, started, wholeSession } from '../../session/state/fixtures/records.ts';
import { textWidth } from '../print/text.ts';
import { runs } from './runs.ts';

/** The journal's age is what sessions are ordered by. */
const changedAt = (files: SessionFiles, second: number): void => utimesSync(journalOf(files), second, second);

async function projectWithSessions(): Promise<string> {
  const root = temporaryProject();
  const whole = await writeSession(root, 'release-20260824-100000', wholeSession);
  const child = await writeInto(childFiles(whole, 'on_stage_complete', 3), wholeSession);
  await writeInto(childFiles(child, 'on_iteration_start', 1), wholeSession.slice(0, 6));
  const failed = await writeSession(root, 'failed', [
    [0, started()],
    [754, closed('failed', `gate "npm test" ${'still fails '.repeat(9)}`)],
  ]);
  const damaged = await writeSession(root, 'damaged', wholeSession);
  const bytes = readFileSync(journalOf(damaged));
  bytes[3000]! ^= 1;
  writeFileSync(journalOf(damaged), bytes);
  createSessionFolder(sessionFiles(root, 'half-made'));
  for (const [age, paths] of [damaged, failed, whole].entries()) changedAt(paths, 1_000_000 - age);
  return root;
}

test('sessions are told newest first, children below them, damaged and half-made ones too', async () => {
  const { exit, stdout, stderr } = await runIn(await projectWithSessions(), runs, [], { columns: 80 });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(stdout).toMatchInlineSnapshot(`
    "SESSION                   STATUS     STARTED     TOOK    ITER  TASKS   HOOKS
    damaged                   damaged    2025-03-01  20s     1     0 of 1  3, 1 bad
      journal.jsonl:13: the checksum does not match
    failed                    failed     2025-03-01  12m34s  0     -       0
      gate "npm test" still fails still fails still fails still fails still fails s…
    release-20260824-100000   completed  2025-03-01  32s     2     1 of 1  4, 2 bad
    └ on_stage_complete-3     completed  2025-03-01  32s     2     1 of 1  4, 2 bad
      └ on_iteration_start-1  crashed    2025-03-01  1.0s    1     -       1
          its process 4000001 ended without closing it
    half-made                 crashed    -           -       -     -       -
      its start was cut short
    "
  `);
});

test('a wide terminal has room for everything', async () => {
  const { stdout } = await runIn(await projectWithSessions(), runs, [], { columns: 120 });
  expect(stdout).toMatchInlineSnapshot(`
    "SESSION                   STATUS     STARTED     TOOK    ITER  TASKS   HOOKS                   PIPELINE
    damaged                   damaged    2025-03-01  20s     1     0 of 1  3, 1 refused            release
      journal.jsonl:13: the checksum does not match
    failed                    failed     2025-03-01  12m34s  0     -       0                       release
      gate "npm test" still fails still fails still fails still fails still fails still fails still fails still fails still…
    release-20260824-100000   completed  2025-03-01  32s     2     1 of 1  4, 1 failed, 1 refused  release
    └ on_stage_complete-3     completed  2025-03-01  32s     2     1 of 1  4, 1 failed, 1 refused  release
      └ on_iteration_start-1  crashed    2025-03-01  1.0s    1     -       1                       release
          its process 4000001 ended without closing it
    half-made                 crashed    -           -       -     -       -
      its start was cut short
    "
  `);
});

test.each([40, 60, 80, 100, 120])('no line is wider than %i columns', async columns => {
  const { stdout } = await runIn(await projectWithSessions(), runs, [], { columns });
  // A name and what must stand beside it need their room.
  for (const line of stdout.split('\n')) expect(textWidth(line), line).toBeLessThanOrEqual(Math.max(columns, 62));
});

test('a name is never cut, and stands alone where it is long', async () => {
  const root = temporaryProject();
  const name = 'n'.repeat(64);
  await writeSession(root, name, wholeSession);
  const { stdout } = await runIn(root, runs, [], { columns: 80 });
  expect(stdout.split('\n')[1]).toBe(name);
});

test('--json is an array with a whole brief for each session', async () => {
  const { stdout } = await runIn(await projectWithSessions(), runs, ['--json']);
  const briefs = JSON.parse(stdout);
  expect(briefs.map(({ session, status }: { session: string; status: string }) => [session, status])).toEqual([
    ['damaged', 'damaged'],
    ['failed', 'failed'],
    ['release-20260824-100000', 'completed'],
    ['half-made', 'crashed'],
  ]);
  const { children, ...brief } = briefs[2];
  expect(brief).toEqual({
    session: 'release-20260824-100000',
    status: 'completed',
    pipeline: 'release',
    agent: 'scripted:demo.json',
    startedAt: '2025-03-01T10:00:00.000Z',
    endedAt: '2025-03-01T10:00:32.000Z',
    durationMs: 32_000,
    runs: 1,
    iterations: 2,
    tasksTotal: 1,
    tasksDone: 1,
    tasksFailed: 0,
    hookRuns: 4,
    hooksFailed: 1,
    hooksRefused: 1,
  });
  expect(children[0]).toMatchObject({
    session: 'release-20260824-100000/on_stage_complete-3',
    children: [{ status: 'crashed' }],
  });
});

test('a project without sessions is told how to start one', async () => {
  const root = temporaryProject();
  expect(await runIn(root, runs, [])).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('hookloop run starts one'),
  });
  expect(await runIn(root, runs, ['--json'])).toMatchObject({ exit: 0, stdout: '[]\n' });
});

describe('foreign names', () => {
  test('cannot steer the terminal', async () => {
    const root = temporaryProject();
    const evil = '\x1b[2J\u202eevil\nline';
    await writeSession(root, 'demo', [
      [0, started({ build: 1 }, evil)],
      [1, closed('failed', evil)],
    ]);
    const { stdout } = await runIn(root, runs, [], { columns: 100 });
    expect(stdout).not.toMatch(/[\x1b\u202e]/);
    expect(stdout).toContain('\ufffd[2J\ufffdevil line');
  });

  test('of folders that are no sessions are left out', async () => {
    const root = temporaryProject();
    const { folder } = await writeSession(root, 'demo', wholeSession);
    mkdirSync(join(folder, '..', '-rf'));
    mkdirSync(join(folder, '..', 'a b\x1b'));
    symlinkSync(folder, join(folder, '..', 'link'));
    expect(JSON.parse((await runIn(root, runs, ['--json'])).stdout)).toHaveLength(1);
  });
});

test('200 sessions are told quickly', async () => {
  const root = temporaryProject();
  const first = await writeSession(root, 's0', wholeSession);
  const journal = readFileSync(journalOf(first));
  for (let at = 1; at < 200; at += 1) {
    const paths = sessionFiles(root, `s${at}`);
    mkdirSync(paths.folder);
    writeFileSync(journalOf(paths), journal);
  }
  const before = process.cpuUsage();
  const { stdout } = await runIn(root, runs, []);
  // Its own time, whoever else is at work on the machine.
  const tookMs = process.cpuUsage(before).user / 1000;
  expect(stdout.trimEnd().split('\n')).toHaveLength(201);
  expect(tookMs).toBeLessThan(10_000);
});
