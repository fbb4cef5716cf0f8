import { chmodSync } from 'node:fs';
import { expect, test } from 'vitest';
import { receiver } from '../../src/actions/webhook/fixtures/receiver.ts';
import { bundleForTests, diary, diaryAgent, eventually, noticesOf, type Project } from './project.ts';

const bundled = await bundleForTests();

const untilOk = (mark: string): string => `echo ${mark} >> ~/log; test -e ~/ok || exec sleep 60`;
const shell = (command: string) => ({ type: 'shell', command, await: true });
const hooks = (byEvent: Readonly<Record<string, readonly object[]>>): Record<string, string> => ({
  'hookloop.yaml': JSON.stringify({ hooks: byEvent }),
});
const piped = (command: string): Record<string, string> => ({
  '.iteratr.hooks.yml': JSON.stringify({ hooks: { post_iteration: [{ command, pipe_output: true }] } }),
});

/** Runs it until the mark is in the log, stops it there, and lets `resume` go to the end. */
async function stopped(
  project: Project,
  mark: string,
  signal: 'SIGINT' | 'SIGKILL',
  agent = diaryAgent,
): Promise<void> {
  const started = project.start(['run', '--agent', agent, '--session', 's', '--prompt', 'my task']);
  await eventually(() => project.lines('~/log').includes(mark));
  started.process.kill(signal);
  await started.ended;
  project.write('~/ok', '');
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
}

test.each(['SIGINT', 'SIGKILL'] as const)('after %s in session.completed it goes on with its end', async signal => {
  const project = bundled.project({
    ...diary(),
    ...piped('echo after the iteration'),
    ...hooks({
      'session.completed': [shell('echo "first $STAGE $MAX_ITERATIONS" >> ~/log'), shell(untilOk('second'))],
      'session.ended': [shell('echo "ended $STAGE $MAX_ITERATIONS $LAST_DECISION" >> ~/log')],
    }),
  });
  await stopped(project, 'second', signal);
  const ended = 'ended work 1 continue';
  expect(project.lines('~/log')).toEqual([
    'first work 1',
    'second',
    ...(signal === 'SIGINT' ? [ended] : []),
    'second',
    ended,
  ]);
  const [, delivery, ...more] = project.heard();
  expect(more).toEqual([]);
  expect(delivery!.text).toContain('after the iteration');
});

test.each(['SIGINT', 'SIGKILL'] as const)('after %s in the last delivery it is delivered again', async signal => {
  const project = bundled.project({ ...diary({ 2: untilOk('heard') }), ...piped('echo after the iteration') });
  await stopped(project, 'heard', signal);
  const heard = project.heard();
  expect(heard).toHaveLength(3);
  expect(heard[1]!.text).toContain('after the iteration');
  expect(heard[2]!.text).toContain('after the iteration');
});

test('an agent that has lost its conversation is told with the last delivery what it was about', async () => {
  const project = bundled.project({
    ...diary(),
    ...piped('echo after the iteration; echo post >> ~/log; test -e ~/ok || exec sleep 60'),
  });
  await stopped(project, 'post', 'SIGKILL', 'command:sh ~/agent.sh without-memory');
  const { text } = project.heard().at(-1)!;
  expect(text).toContain('The conversation in which you worked on this is lost. This was your task:\n\nmy task');
  expect(text).toContain('after the iteration');
});

test('a question that an interrupt leaves open at the end is the same after it', async () => {
  const { url } = await receiver(() => ({ status: 200 }));
  const ask = { type: 'webhook', url, await: true, timeout: 600, question: 'Done?' };
  const project = bundled.project({ ...diary(), ...hooks({ 'session.completed': [ask] }) });
  const questions = (): { id: string }[] => JSON.parse(project.run(['approvals', '--json']).stdout);
  const started = project.start(['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'x']);
  await eventually(() => questions().length === 1);
  const [asked] = questions();
  started.process.kill('SIGINT');
  await started.ended;
  const resumed = project.start(['resume', 's']);
  await eventually(() => project.journal('s').some(({ kind }) => kind === 'session.resumed'));
  expect(project.run(['approve', asked!.id]).exit).toBe(0);
  expect(await resumed.ended).toEqual({ code: 0, signal: null });
  expect(questions()).toEqual([]);
});

test('whoever ends a session whose last hooks run waits for them, and none is left out', async () => {
  const project = bundled.project({
    ...diary(),
    ...hooks({
      'session.ended': [
        shell('echo begin >> ~/log; until test -e ~/ok; do sleep 0.05; done; echo end >> ~/log'),
        shell('echo push >> ~/log'),
      ],
    }),
  });
  const started = project.start(['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'x']);
  await eventually(() => project.lines('~/log').includes('begin'));
  started.process.kill('SIGINT');
  await eventually(() => started.stderr().includes('ending'));
  project.write('~/ok', '');
  expect(await started.ended).toEqual({ code: 0, signal: null });
  expect(project.lines('~/log')).toEqual(['begin', 'end', 'push']);
});

test('a queue with tasks left ends in session.failed alone, and on_error names what is left', () => {
  const note = (name: string) => `{ type: shell, await: true, command: 'echo "${name} $ERROR" >> ~/told' }`;
  const project = bundled.project({
    ...diary(),
    'tasks.md': '- [ ] first\n',
    'hookloop.yaml': `hooks:
  on_error: [${note('on_error')}]
  on_session_complete: [${note('complete')}]
  session.failed: [${note('failed')}]
  session.completed: [${note('completed')}]
  session.ended: [${note('ended')}]
`,
    '.iteratr.hooks.yml': 'hooks: { on_error: [{ command: "echo recover >> ~/told" }] }\n',
    '.a5c/hooks/on-iteration-end/note.sh': '#!/bin/sh\necho iteration-end >> ~/told\n',
  });
  chmodSync(project.pathOf('.a5c/hooks/on-iteration-end/note.sh'), 0o755);
  const ran = project.talk(['--tasks', 'tasks.md', '--max-iterations', '2', '--json']);
  expect(ran.exit).toBe(1);
  const left = /^(\w+) 1 task is left after 2 iterations of stage work: c\w+ "first"$/;
  expect(project.lines('~/told').map(line => left.exec(line)?.[1] ?? line.trim())).toEqual([
    ...['iteration-end', 'iteration-end', 'on_error', 'failed', 'ended'],
  ]);
  const ends = noticesOf(ran).filter(({ type }) => type === 'session.failed' || type === 'session.completed');
  expect(ends.map(({ type }) => type)).toEqual(['session.failed']);
});
