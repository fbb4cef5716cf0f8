import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSessionFolder } from '../../session/file-store/folder.ts';
import { childFiles, sessionFiles } from '../../session/paths.ts';
import {
  journalOf,
  runIn,
  type Timed,
  temporaryProject,
  writeInto,
  writeSession,
} from '../../session/state/fixtures/project.ts';
import {
  closed,
  event,
  finished,
  hookStarted,
  ranHook,
  resumed,
  started,
  wholeSession,
} from '../../session/state/fixtures/records.ts';
import { textWidth } from '../print/text.ts';
import { show } from './show.ts';

/** Times of day depend on where the tests run. */
const withoutTimes = (text: string): string =>
  text.replaceAll(/\d\d:\d\d:\d\d/g, 'HH:MM:SS').replaceAll(/\d{4}-\d\d-\d\d(?= |$)/gm, 'YYYY-MM-DD');

const eventful: readonly Timed[] = [
  [0, started({ plan: 1, build: 10 }, 'a pipeline')],
  [0, event('stage.starting', { stage: 'plan' })],
  [1, event('iteration.starting', { stage: 'plan', iteration: 1 })],
  [1, hookStarted('s0/i1/starting', 'npm run check -- --all', 'iteration.starting')],
  [3600, resumed(2)],
  [3601, hookStarted('s0/i1/starting', 'npm run check -- --all', 'iteration.starting', 2)],
  [3602, event('approval.requested', { question: 'May I deploy?', extra: { approval: 'A1' } })],
  [3603, { kind: 'task.added', id: 'T1', content: 'Write the docs' }],
  [3604, closed('interrupted', 'by SIGINT')],
];

async function projectWithSessions(): Promise<string> {
  const root = temporaryProject();
  const whole = await writeSession(root, 'release', wholeSession);
  await writeInto(childFiles(whole, 'on_stage_complete', 3), wholeSession);
  await writeSession(root, 'eventful', eventful);
  return root;
}

test('a session is shown with everything that happened in it', async () => {
  const { exit, stdout, stderr } = await runIn(await projectWithSessions(), show, ['release'], { columns: 80 });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(withoutTimes(stdout)).toMatchInlineSnapshot(`
    "release  completed
    pipeline release · agent scripted:demo.json · started YYYY-MM-DD HH:MM:SS
    took 32s

    TASKS
      [x] T1  Write the parser (with tests)

    STAGES
      STAGE  STATUS     ITERATIONS   TOOK
      build  completed  2, 1 failed  31s   all iterations done

    HOOKS
      HH:MM:SS  #4 iteration.starting in build 1
        lint      passed  0.1s
      HH:MM:SS  #10 task.completing in build 1
        npm test  failed (exit 1) -> revise  0.1s
            2 tests fail parser.test.ts
      HH:MM:SS  #12 task.completing in build 1
        npm test  passed  0.1s
      HH:MM:SS  #19 iteration.failed in build 2
        notify    failed (exit 7)  0.1s
            no network

    TIME LINE
      HH:MM:SS  +00:00       started
      HH:MM:SS  +00:01  #4   build 1 started
      HH:MM:SS  +00:09  #10  task.completing refused by npm test
      HH:MM:SS  +00:21  #15  task done: Write the parser
      HH:MM:SS  +00:21  #16  build 1 completed
      HH:MM:SS  +00:22  #17  build 2 started
      HH:MM:SS  +00:30  #18  build 2 failed: the agent died
      HH:MM:SS  +00:32       completed

    CHILDREN
      SESSION              STATUS     STARTED     TOOK  ITER  TASKS   HOOKS
      on_stage_complete-3  completed  YYYY-MM-DD  32s   2     1 of 1  4, 2 bad

    NEXT
      hookloop why release  explains the last refusal
      hookloop log release  every event, and what every hook printed
      hookloop show release/on_stage_complete-3  a child
    "
  `);
});

test('a session that was interrupted is shown with what was cut off and how to go on', async () => {
  const { stdout } = await runIn(await projectWithSessions(), show, ['eventful'], { columns: 80 });
  expect(withoutTimes(stdout)).toMatchInlineSnapshot(`
    "eventful  interrupted
    by SIGINT
    pipeline a pipeline · agent scripted:demo.json · started YYYY-MM-DD HH:MM:SS
    took 5.0s · in 2 processes

    TASKS
      [ ] T1  Write the docs

    STAGES
      STAGE  STATUS       ITERATIONS  TOOK
      plan   interrupted  1           5.0s  by SIGINT
      build  waiting      0           -

    HOOKS
      HH:MM:SS  #4 iteration.starting in plan 1
        npm run check -- --all  unfinished
        npm run check -- --all  unfinished  attempt 2 (crash)

    APPROVALS
      HH:MM:SS  A1  over  May I deploy?

    TIME LINE
      HH:MM:SS    +00:00      started
      HH:MM:SS    +00:01  #3  plan 1 started
      HH:MM:SS  +1:00:00      resumed
      HH:MM:SS  +1:00:02  #7  a person was asked: May I deploy?
      HH:MM:SS  +1:00:04      interrupted: by SIGINT

    NEXT
      hookloop resume eventful  continues where it stopped
      hookloop log eventful     every event, and what every hook printed
    "
  `);
});

test.each([60, 80, 120])('no line is wider than %i columns', async columns => {
  const root = temporaryProject();
  const long = 'a long text that goes on and on '.repeat(8);
  await writeSession(root, 'demo', [
    [0, started({ ['s'.repeat(50)]: 1 }, long)],
    ...ranHook(0, 's0', long, 'iteration.starting', finished(1, long, 'block')),
    [1, { kind: 'task.added', id: 'T1', content: long }],
    [2, event('approval.requested', { title: long, question: long, extra: { approval: 'A1' } })],
    [3, closed('failed', long)],
  ]);
  const { stdout } = await runIn(root, show, ['demo'], { columns });
  for (const line of stdout.split('\n')) expect(textWidth(line), line).toBeLessThanOrEqual(columns);
});

test('of many hooks the last are shown, and where the others are', async () => {
  const root = temporaryProject();
  const many = Array.from({ length: 100 }, (_, at) =>
    ranHook(at, `s0/i${at}`, `hook-${at}`, 'iteration.starting'),
  ).flat();
  await writeSession(root, 'demo', [[0, started()], ...many]);
  const { stdout } = await runIn(root, show, ['demo'], { columns: 80 });
  expect(stdout).toContain('... 60 earlier runs: hookloop log demo --hooks');
  expect(stdout).not.toContain('hook-59 ');
  expect(stdout).toContain('hook-60 ');
  expect(JSON.parse((await runIn(root, show, ['demo', '--json'])).stdout).hooks).toHaveLength(100);
});

test('--json has the names of the contract', async () => {
  const { exit, stdout } = await runIn(await projectWithSessions(), show, ['release', '--json']);
  const shown = JSON.parse(stdout);
  expect(exit).toBe(0);
  expect(Object.keys(shown)).toEqual(
    expect.arrayContaining(['session', 'status', 'stages', 'hooks', 'tasks', 'approvals', 'children']),
  );
  expect(shown).toMatchObject({
    session: 'release',
    status: 'completed',
    stages: [{ stage: 'build', iterations: 2, maxIterations: 3, failedIterations: 1 }],
    tasks: [{ id: 'T1', status: 'done' }],
    children: [{ session: 'release/on_stage_complete-3', status: 'completed' }],
  });
  expect(shown.hooks[1]).toMatchObject({
    status: 'finished',
    outcome: { kind: 'exited', exitCode: 1 },
    verdict: { kind: 'failed' },
  });
});

test('a child is shown by the way to it', async () => {
  const root = await projectWithSessions();
  const { exit, stdout } = await runIn(root, show, ['release/on_stage_complete-3'], { columns: 80 });
  expect(exit).toBe(0);
  expect(stdout.split('\n')[0]).toBe('release/on_stage_complete-3  completed');
});

describe('what is no session', () => {
  test.each([
    ['releas', 'there is no session named releas; did you mean release?'],
    ['zzzzzzzz', 'there is no session named zzzzzzzz; hookloop runs lists them'],
    [
      'release/on_stage_complete-4',
      'there is no child of release named on_stage_complete-4; did you mean on_stage_complete-3?',
    ],
    ['release/../release', 'there is no child of release named ..; hookloop show release lists them'],
    ['../release', '".." is not a session name'],
    ['\x1b[2J', '"\\u001b[2J" is not a session name'],
    ['', '"" is not a session name'],
    ['x'.repeat(65), 'is longer than 64 characters'],
  ])('%j is refused with a hint', async (name, message) => {
    const { exit, stdout, stderr } = await runIn(await projectWithSessions(), show, [name]);
    expect({ exit, stdout }).toEqual({ exit: 64, stdout: '' });
    expect(stderr).toContain(message);
  });

  test('is told as what it is where it leads elsewhere or is a file', async () => {
    const root = await projectWithSessions();
    const folder = join(root, '.hookloop', 'sessions');
    mkdirSync(join(root, 'elsewhere'));
    symlinkSync(join(root, 'elsewhere'), join(folder, 'link'));
    writeFileSync(join(folder, 'file'), '');
    expect(await runIn(root, show, ['link'])).toMatchObject({ exit: 65, stderr: expect.stringContaining('is a link') });
    expect(await runIn(root, show, ['file'])).toMatchObject({
      exit: 65,
      stderr: expect.stringContaining('is not a folder'),
    });
  });
});

test('a journal that cannot be opened is not called damaged: there is nothing that repair could do', async () => {
  const root = temporaryProject();
  const paths = sessionFiles(root, 'demo');
  createSessionFolder(paths);
  mkdirSync(journalOf(paths));
  const { exit, stdout, stderr } = await runIn(root, show, ['demo']);
  expect([exit, stderr]).toEqual([65, 'hookloop show: journal.jsonl cannot be read: it is not a file\n']);
  expect(stdout).not.toContain('repair');
  const json = JSON.parse((await runIn(root, show, ['demo', '--json'])).stdout);
  expect(json).toMatchObject({ status: 'damaged', unreadable: true });
});

test('a damaged journal is shown as far as it is good, with the line that repairs it', async () => {
  const root = await projectWithSessions();
  const journal = journalOf(sessionFiles(root, 'release'));
  const bytes = readFileSync(journal);
  bytes[3000]! ^= 1;
  writeFileSync(journal, bytes);
  const { exit, stdout, stderr } = await runIn(root, show, ['release'], { columns: 80 });
  expect(exit).toBe(65);
  expect(stderr).toContain('the checksum does not match; hookloop repair release shows what can be kept');
  expect(stdout).toContain('release  damaged');
  expect(stdout).toContain('hookloop repair release  ');
});

test('a session that was cut short at its start is not offered to be resumed', async () => {
  const root = temporaryProject();
  createSessionFolder(sessionFiles(root, 'half'));
  const { exit, stdout } = await runIn(root, show, ['half'], { columns: 80 });
  expect(exit).toBe(0);
  expect(stdout).toContain('its start was cut short');
  expect(stdout).not.toContain('resume');
});

test('foreign text cannot steer the terminal, and colours are there only where they are wanted', async () => {
  const root = temporaryProject();
  const evil = '\x1b]0;evil\x07\u202e';
  await writeSession(root, 'demo', [
    [0, started({ [evil]: 1 }, evil)],
    ...ranHook(0, 's0', evil, 'iteration.starting', finished(1, evil, 'block')),
    [1, { kind: 'task.added', id: evil, content: evil }],
    [2, event('approval.requested', { title: evil, question: evil, extra: { approval: evil } })],
    [3, closed('failed', evil)],
  ]);
  expect((await runIn(root, show, ['demo'], { columns: 80 })).stdout).not.toMatch(/[\x1b\x07\u202e]/);
  const { stdout } = await runIn(root, show, ['demo'], { columns: 80, color: true });
  expect(stdout).toContain('\x1b[31mfailed\x1b[39m');
  expect((await runIn(root, show, ['demo', '--no-color'], { columns: 80, color: true })).stdout).not.toContain('\x1b');
});
