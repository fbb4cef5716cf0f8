import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { HookResult } from '../../model/index.ts';
import { createSessionFolder } from '../../session/file-store/folder.ts';
import { sessionFiles } from '../../session/paths.ts';
import { journalOf, runIn, type Timed, temporaryProject, writeSession } from '../../session/state/fixtures/project.ts';
import {
  closed,
  event,
  finished,
  hookStarted,
  oddRecords,
  ranHook,
  resumed,
  started,
  wholeSession,
} from '../../session/state/fixtures/records.ts';
import { log } from './log.ts';

const withoutTimes = (text: string): string =>
  text.replaceAll(/^\d\d:\d\d:\d\d/gm, 'HH:MM:SS').replaceAll(/^-- .* --$/gm, '-- YYYY-MM-DD --');

const outputOf = async (records: readonly Timed[], ...options: string[]) => {
  const root = temporaryProject();
  await writeSession(root, 'demo', records);
  return runIn(root, log, ['demo', ...options]);
};

test('every event and every hook has its line, and hooks what they printed', async () => {
  const { exit, stdout, stderr } = await outputOf(wholeSession);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  const lines = withoutTimes(stdout).trimEnd().split('\n');
  const expected = [
    /^-- YYYY-MM-DD --$/,
    /^HH:MM:SS {3}session demo: pipeline release, agent scripted:demo.json, process 4000001$/,
    /^HH:MM:SS > session demo starts/,
    /^HH:MM:SS > \[build\] stage starts/,
    /^HH:MM:SS > \[build 1\/3\] iteration starts/,
    /^HH:MM:SS \+ \[build 1\/3\] hook lint passed .*\(iteration\.starting\)$/,
    /^ {11}src\/a\.ts: unused variable$/,
    /^HH:MM:SS {3}\[build 1\/3\] task T1 added: Write the parser$/,
    /^HH:MM:SS > \[build 1\/3\] task T1/,
    /^HH:MM:SS - \[build 1\/3\] hook npm test failed .*exit code 1.*\(task\.completing\)$/,
    /^ {11}2 tests fail$/,
    /^ {11}parser\.test\.ts$/,
    /^HH:MM:SS \+ \[build 1\/3\] hook npm test passed/,
    /^HH:MM:SS \+ \[build 1\/3\] task T1 done/,
    /^HH:MM:SS \+ \[build 1\/3\] iteration completed/,
    /^HH:MM:SS > \[build 2\/3\] iteration starts/,
    /^HH:MM:SS - \[build 2\/3\] iteration failed .*the agent died/,
    /^HH:MM:SS {3}\[build 2\/3\] hook notify failed .*exit code 7/,
    /^ {11}no network$/,
    /^HH:MM:SS \+ \[build\] stage completed/,
    /^HH:MM:SS \+ session completed/,
    /^HH:MM:SS \+ session closed: completed$/,
  ];
  expect(lines).toEqual(expected.map(pattern => expect.stringMatching(pattern)));
});

test('what a crash cut off is told, with the process that went on', async () => {
  const { stdout } = await outputOf([
    ...wholeSession.slice(0, 5),
    [3600, resumed(2)],
    [3601, hookStarted('s0/i1/starting', 'lint', 'iteration.starting', 2)],
    [3602, { kind: 'task.dropped', id: 'T1', reason: 'not needed' }],
    [3603, closed('interrupted', 'by SIGINT')],
  ]);
  expect(withoutTimes(stdout).split('\n').slice(5)).toEqual([
    'HH:MM:SS > session demo goes on in process 4000001',
    'HH:MM:SS   [build 1/3] hook lint runs again, attempt 2 (iteration.starting)',
    'HH:MM:SS   [build 1/3] task T1 dropped: not needed',
    'HH:MM:SS - session closed: interrupted, by SIGINT',
    '',
  ]);
});

test('each day has its heading once', async () => {
  const days = 24 * 3600;
  const { stdout } = await outputOf([
    [0, started()],
    [1, event('session.starting')],
    [days, event('session.completed')],
  ]);
  expect(stdout.match(/^-- \d{4}-\d\d-\d\d --$/gm)).toHaveLength(2);
});

describe('long output', () => {
  const lines = Array.from({ length: 25 }, (_, at) => `line ${at + 1}`).join('\n');

  test('is told by its first lines', async () => {
    const { stdout } = await outputOf([[0, started()], ...ranHook(1, 's0', 'x', 'stage.starting', finished(0, lines))]);
    expect(stdout).toContain('           line 10\n           ... 15 more lines; --json has them\n');
    expect(stdout).not.toContain('line 11');
  });

  test('names the file that has all of it', async () => {
    const result = finished(0, lines) as Extract<HookResult, { status: 'finished' }>;
    const truncated = { stdoutBytes: 1e9, stderrBytes: 0, stdoutFile: '/p/hooks/out.txt' };
    const outcome = { kind: 'exited', exitCode: 0, stdout: lines, stderr: '', truncated } as const;
    const { stdout } = await outputOf([
      [0, started()],
      ...ranHook(1, 's0', 'x', 'stage.starting', { ...result, outcome }),
    ]);
    expect(stdout).toContain('           line 10\n           ... all of it: /p/hooks/out.txt\n');
  });
});

test('--hooks leaves out everything else', async () => {
  const { stdout } = await outputOf(wholeSession, '--hooks');
  expect(stdout.match(/^\d\d:\d\d:\d\d/gm)).toHaveLength(4);
  expect(stdout.match(/ hook /g)).toHaveLength(4);
});

test('--json has a line for each thing that happened, by its type', async () => {
  const { stdout } = await outputOf(wholeSession, '--json');
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
  const told = wholeSession.map(([, record], at) => ({ seq: at + 1, record })).filter(({ record }) => isTold(record));
  expect(lines.map(({ seq, type }) => [seq, type])).toEqual(told.map(({ seq, record }) => [seq, typeOf(record)]));
  const [first] = lines;
  expect(first).toMatchObject({ type: 'run.started', pipeline: 'release', agent: 'scripted:demo.json', pid: 4000001 });
  for (const line of lines.filter(({ type }) => type === 'hook.finished'))
    expect(line).toMatchObject({
      hook: expect.any(String),
      result: { status: 'finished' },
      output: expect.any(String),
    });
  const hooks = (await outputOf(wholeSession, '--json', '--hooks')).stdout.trimEnd().split('\n');
  expect(new Set(hooks.map(line => JSON.parse(line).type))).toEqual(new Set(['hook.started', 'hook.finished']));
});

const isTold = ({ kind }: { kind: string }): boolean => !kind.startsWith('step.');

const typeOf = (record: { kind: string; event?: unknown }): string =>
  ({ 'session.started': 'run.started', 'session.resumed': 'run.started', 'session.closed': 'run.ended' })[
    record.kind
  ] ?? (record.kind === 'event' ? (record.event as { name: string }).name : record.kind);

test('foreign text cannot steer the terminal, and what is not known is told by its kind', async () => {
  const evil = '\x1b]0;evil\x07\u202e';
  const { exit, stdout } = await outputOf([
    [0, started({ build: 1 }, evil)],
    [0, event('stage.starting', { stage: evil })],
    [0, event('tool.called', { stage: evil, tool: evil, input: { command: evil } })],
    ...ranHook(0, 's0', evil, 'iteration.starting', finished(1, `${evil}\n${evil}`, 'block')),
    [1, { kind: 'task.added', id: evil, content: evil }],
    [1, { kind: `${evil}.kind` } as never],
    [3, closed('failed', evil)],
  ]);
  expect(exit).toBe(0);
  expect(stdout).not.toMatch(/[\x1b\x07\u202e]/);
  expect(stdout).toContain('record \ufffd]0;evil\ufffd\ufffd.kind');
});

test('records that make no sense are told by their kind, and nothing else', async () => {
  const { exit, stdout } = await outputOf(oddRecords.map(record => [0, record as never]));
  expect(exit).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .every(line => line.includes('   record ')),
  ).toBe(true);
});

describe('a journal', () => {
  test('that is damaged is told up to there, with the line that repairs it', async () => {
    const root = temporaryProject();
    const journal = journalOf(await writeSession(root, 'demo', wholeSession));
    const lines = readFileSync(journal, 'utf8').split('\n');
    lines[5] = lines[5]!.replace('unused', 'missing');
    writeFileSync(journal, lines.join('\n'));
    const { exit, stdout, stderr } = await runIn(root, log, ['demo']);
    expect(exit).toBe(65);
    expect(stdout).toContain('iteration starts');
    expect(stdout).not.toContain('hook lint');
    expect(stderr).toBe(
      'hookloop log: journal.jsonl:6: the checksum does not match; hookloop repair demo shows what can be kept\n',
    );
  });

  test('with a torn end is told up to there', async () => {
    const root = temporaryProject();
    const journal = journalOf(await writeSession(root, 'demo', wholeSession));
    truncateSync(journal, readFileSync(journal).length - 10);
    const { exit, stdout } = await runIn(root, log, ['demo']);
    expect(exit).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('session completed');
  });

  test('that is not there yet is no failure; one that is a folder is', async () => {
    const root = temporaryProject();
    const paths = sessionFiles(root, 'demo');
    createSessionFolder(paths);
    expect(await runIn(root, log, ['demo'])).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: expect.stringContaining('nothing is written yet'),
    });
    mkdirSync(journalOf(paths));
    expect(await runIn(root, log, ['demo'])).toMatchObject({
      exit: 65,
      stderr: expect.stringContaining('it is not a file'),
    });
  });
});
