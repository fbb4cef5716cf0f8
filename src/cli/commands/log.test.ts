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
import { createLogLines } from '../print/log.ts';
import { createColours } from '../print/paint.ts';
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
    /^HH:MM:SS > session demo starts \(#2\)$/,
    /^HH:MM:SS > \[build\] stage starts/,
    /^HH:MM:SS > \[build 1\] iteration starts/,
    /^HH:MM:SS \+ \[build 1\] hook lint passed .*\(iteration\.starting #4\)$/,
    /^ {11}src\/a\.ts: unused variable$/,
    /^HH:MM:SS {3}\[build 1\] task T1 added: Write the parser$/,
    /^HH:MM:SS > \[build 1\] task T1/,
    /^HH:MM:SS - \[build 1\] hook npm test failed .*exit code 1.*\(task\.completing #10\)$/,
    /^ {11}2 tests fail$/,
    /^ {11}parser\.test\.ts$/,
    /^HH:MM:SS \+ \[build 1\] hook npm test passed/,
    /^HH:MM:SS \+ \[build 1\] task T1 done/,
    /^HH:MM:SS \+ \[build 1\] iteration completed/,
    /^HH:MM:SS > \[build 2\] iteration starts/,
    /^HH:MM:SS - \[build 2\] iteration failed .*the agent died/,
    /^HH:MM:SS {3}\[build 2\] hook notify failed .*exit code 7/,
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
    'HH:MM:SS > session demo continues in process 4000001',
    'HH:MM:SS   [build 1] hook lint runs again, attempt 2 (iteration.starting #4)',
    'HH:MM:SS   [build 1] task T1 dropped: not needed',
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

  test('is told to its last line', async () => {
    const { stdout } = await outputOf([[0, started()], ...ranHook(1, 's0', 'x', 'stage.starting', finished(0, lines))]);
    expect(stdout).toContain('           line 24\n           line 25\n');
  });

  test('names the file that has all of it', async () => {
    const result = finished(0, lines) as Extract<HookResult, { status: 'finished' }>;
    const truncated = { stdoutBytes: 1e9, stderrBytes: 0, stdoutFile: '/p/hooks/out.txt' };
    const outcome = { kind: 'exited', exitCode: 0, stdout: lines, stderr: '', truncated } as const;
    const { stdout } = await outputOf([
      [0, started()],
      ...ranHook(1, 's0', 'x', 'stage.starting', { ...result, outcome }),
    ]);
    expect(stdout).toContain('           line 25\n           ... all of it: /p/hooks/out.txt\n');
  });
});

test('--hooks leaves out everything else', async () => {
  const { stdout } = await outputOf(wholeSession, '--hooks');
  expect(stdout.match(/^\d\d:\d\d:\d\d/gm)).toHaveLength(4);
  expect(stdout.match(/ hook /g)).toHaveLength(4);
});

describe('what the agent did', () => {
  const key = 's0/i1/work/t0';
  const task = (id: string) => ({ stage: 'build', iteration: 1, taskId: id, content: `task ${id}` });
  const records: readonly Timed[] = [
    [0, started()],
    [0, { kind: 'task.added', id: 'T1', content: 'First' }],
    [0, { kind: 'task.added', id: 'T2', content: 'Second' }],
    [1, event('task.starting', task('T1'), 's0/i1/task')],
    [2, { kind: 'agent.message', key, text: 'I write it.\nThen I test it.' }],
    [2, { kind: 'agent.tool', key, tool: 'Bash', input: { command: 'make' }, output: 'built', status: 'completed' }],
    [3, event('approval.requested', { question: 'Go on?', extra: { approval: 'A1' } }, 'r1/c1')],
    [4, { kind: 'step.done', key: 'r1/c1', value: { action: 'approve', message: '' } }],
    [5, { kind: 'agent.told', key: `${key}/told`, text: 'Tests fail.', hooks: [] }],
    [6, event('task.starting', { ...task('T2'), iteration: 2 }, 's0/i2/task')],
    [7, { kind: 'agent.message', key: 's0/i2/work/t0', text: 'The second one.' }],
  ];
  const linesOf = async (...options: string[]) =>
    withoutTimes((await outputOf(records, ...options)).stdout)
      .trimEnd()
      .split('\n')
      .slice(1);

  test('is told with its messages, tools, and what it was told', async () => {
    const text = (await linesOf()).join('\n');
    expect(text).toContain('the agent said:\n           I write it.\n           Then I test it.\n');
    expect(text).toMatch(/\+ (\[.*\] )?tool Bash make completed\n {11}built\n/);
    expect(text).toMatch(/the agent was told:\n {11}Tests fail\.\n/);
  });

  test.each([
    ['agent', ['the agent said:', 'the agent was told:', 'the agent said:']],
    ['tools', ['tool Bash make completed']],
    ['people', ['asks a person: Go on? (#7)', 'approved: Go on?']],
    ['tools,people', ['tool Bash make completed', 'asks a person: Go on? (#7)', 'approved: Go on?']],
  ])('--only %s leaves out everything else', async (kinds, expected) => {
    const heads = (await linesOf('--only', kinds)).filter(line => line.startsWith('HH:MM:SS'));
    expect(heads.map(line => line.replace(/^HH:MM:SS . (\[.*?\] )?/, ''))).toEqual(expected);
  });

  test('--task has what belongs to one task, by its number or its id', async () => {
    const text = (await linesOf('--task', '2')).join('\n');
    expect(text).toContain('The second one.');
    expect(text).not.toContain('I write it.');
    expect((await linesOf('--task', 'T1')).join('\n')).toContain('I write it.');
    expect(await outputOf(records, '--task', '3')).toMatchObject({
      exit: 64,
      stderr: expect.stringContaining('there is no task 3 in session demo: it has 1 to 2'),
    });
  });

  test('--raw has the records as they stand, and a kind that is unknown is refused', async () => {
    const { stdout } = await outputOf(records, '--raw', '--only', 'agent');
    const kinds = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).kind);
    expect(kinds).toEqual(['agent.message', 'agent.told', 'agent.message']);
    expect(await outputOf(records, '--only', 'hook')).toMatchObject({
      exit: 64,
      stderr: expect.stringContaining('--only hook is unknown: agent, tools, hooks, people; did you mean hooks?'),
    });
  });
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

const onTerminal = (columns: number) => createLogLines('demo', { colours: createColours(false), columns }, () => true);
const entry = (record: object): never =>
  ({ seq: 1, at: '2026-01-01T00:00:00Z', key: 's0/i1/work/t0', ...record }) as never;

test('on a terminal lines are broken between words, below where they began', () => {
  const text = '  I write the function first, and then the test that it needs.';
  const [, , ...said] = onTerminal(40)(entry({ kind: 'agent.message', text }));
  const indent = ' '.repeat(13);
  expect(said).toEqual([
    `${indent}I write the function first,`,
    `${indent}and then the test that it`,
    `${indent}needs.`,
  ]);
});

test('what a shell printed is told as it printed it', () => {
  const output = { stdout: 'hello\n', stderr: 'oh\n', exit_code: 0 };
  const tool = { kind: 'agent.tool', tool: 'Bash', input: { command: 'x' }, output, status: 'completed' };
  expect(onTerminal(80)(entry(tool)).slice(-2)).toEqual([`${' '.repeat(11)}hello`, `${' '.repeat(11)}oh`]);
});
