import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ApprovalView, SessionView } from '../../src/model/view.ts';
import { allQuestions } from '../../src/session/file-store/question-files.ts';
import { bundleForTests, diary, diaryAgent, eventually, type Project, type Started } from './project.ts';

const bundled = await bundleForTests();

/** Links as they arrive where the questions are sent to. */
const links: string[] = [];
const receiver = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => links.push(JSON.parse(chunk.toString()).link));
  request.on('end', () => response.end('ok'));
});
let callbackPort: number;

beforeAll(async () => {
  await listen(receiver);
  const other = createServer();
  callbackPort = await listen(other);
  other.close();
});
afterAll(() => receiver.close());

const listen = (server: typeof receiver): Promise<number> =>
  new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

/** A session that asks whether it may start. */
function asking(): Project {
  links.length = 0;
  const { port } = receiver.address() as AddressInfo;
  const ask = {
    type: 'webhook',
    await: true,
    url: `http://127.0.0.1:${port}/`,
    question: 'May it start?',
    body: { link: '${CALLBACK_URL}' },
    callback_port: callbackPort,
  };
  return bundled.project({ ...diary(), 'hookloop.yaml': JSON.stringify({ hooks: { 'session.starting': [ask] } }) });
}

/** A session that a failed test leaves would wait for its answer. */
const running: Started[] = [];
afterEach(() => {
  for (const { process } of running.splice(0)) process.kill('SIGKILL');
});

function start(project: Project, args: readonly string[]): Started {
  const started = project.start([...args, '--json']);
  running.push(started);
  return started;
}

const begin = (project: Project): Started =>
  start(project, ['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'go']);

const goOn = (project: Project): Started => start(project, ['resume', 's']);

/** The question of this process, once it is told and its link is where it was sent to. */
async function toldBy({ stdout }: Started): Promise<string> {
  const told = (): string | undefined => /"type":"approval.requested".*"approval":"([^"]+)"/.exec(stdout())?.[1];
  await eventually(() => told() !== undefined && links.length > 0);
  return told()!;
}

async function kill({ process, ended }: Started): Promise<void> {
  process.kill('SIGKILL');
  await ended;
}

const answer = (project: Project, word: 'approve' | 'reject', id: string, message: string): void =>
  expect(project.run([word, id, '--message', message]).exit).toBe(0);

const byCommand = (word: string) => expect.stringMatching(new RegExp(`^(?!by ).+ with hookloop ${word}$`));
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);

const answersIn = (project: Project): readonly ApprovalView[] =>
  (JSON.parse(project.run(['show', 's', '--json']).stdout) as SessionView).approvals;

test('what was refused is asked anew when the session is resumed, and show tells both answers', async () => {
  const project = asking();
  const first = begin(project);
  const refused = await toldBy(first);
  answer(project, 'reject', refused, 'not before Monday');
  expect((await first.ended).code).toBe(1);
  expect(project.heard()).toEqual([]);
  const second = goOn(project);
  await eventually(() => links.length === 2);
  const allowed = await toldBy(second);
  expect([allowed === refused, links[0] === links[1]]).toEqual([false, false]);
  answer(project, 'approve', allowed, 'it is Monday');
  expect((await second.ended).code).toBe(0);
  const asked = { question: 'May it start?', status: 'answered' };
  expect(answersIn(project)).toMatchObject([
    { id: refused, ...asked, answer: 'reject', message: 'not before Monday', by: byCommand('reject'), at: time },
    { id: allowed, ...asked, answer: 'approve', message: 'it is Monday', by: byCommand('approve'), at: time },
  ]);
  const { stdout } = project.run(['show', 's']);
  for (const line of [
    `${refused}  answered reject \\(not before Monday\\)  May it start\\?\n {12}[\\d:]{8}, by .+ with hookloop reject`,
    `${allowed}  answered approve \\(it is Monday\\)  May it start\\?\n {12}[\\d:]{8}, by .+ with hookloop approve`,
  ])
    expect(stdout).toMatch(new RegExp(line));
});

test('a question that was open at a crash is told again with the same link, which lets the session go on', async () => {
  const project = asking();
  const first = begin(project);
  const id = await toldBy(first);
  await kill(first);
  const second = goOn(project);
  expect(await toldBy(second)).toBe(id);
  const pressed = await fetch(`${links[0]}?action=approve&message=well`, { method: 'POST' });
  expect([pressed.status, (await second.ended).code]).toEqual([200, 0]);
  expect(new Set(links).size).toBe(1);
  const by = 'a request to the callback URL';
  expect(answersIn(project)).toMatchObject([
    { id, status: 'answered', answer: 'approve', message: 'well', by, at: time },
  ]);
});

test('an answer that was given while no one was there is not asked for again, in the first round and in later ones', async () => {
  const project = asking();
  const first = begin(project);
  const refused = await toldBy(first);
  await kill(first);
  answer(project, 'reject', refused, 'no');
  const second = goOn(project);
  expect((await second.ended).code).toBe(1);
  const sent = links.length;
  expect(second.stdout()).not.toContain('approval.requested');
  const third = goOn(project);
  const allowed = await toldBy(third);
  await eventually(() => links.length > sent);
  await kill(third);
  answer(project, 'approve', allowed, 'yes');
  const fourth = goOn(project);
  expect([(await fourth.ended).code, links.length]).toEqual([0, sent + 1]);
  expect(fourth.stdout()).not.toContain('approval.requested');
  expect(answersIn(project).map(({ id, answer: said }) => [id, said])).toEqual([
    [refused, 'reject'],
    [allowed, 'approve'],
  ]);
});

test('an answer to an agent is told to watchers, by show and by log, and its files to hooks', async () => {
  const ask = '~/hookloop breakpoint --title Plan --question "Is it right?" --file plan.md > ~/answered';
  const project = bundled.project({ ...diary({ 1: ask }), 'plan.md': 'x' });
  project.write('.a5c/hooks/on-breakpoint/hear.sh', '#!/bin/sh\ncat > ~/part; mv ~/part ~/payload\n', 0o755);
  const started = begin(project);
  const waiting = () => allQuestions(join(project.home, '.local/state/hookloop/approvals'));
  await eventually(() => waiting().length === 1);
  const { id } = waiting()[0]!;
  answer(project, 'reject', id, 'it is left');
  expect((await started.ended).code).toBe(0);
  const asked = { title: 'Plan', question: 'Is it right?' };
  const given = { message: 'it is left', by: byCommand('reject'), at: time };
  expect(JSON.parse(project.read('~/answered'))).toEqual({ approved: false, ...given });
  expect(answersIn(project)).toMatchObject([{ id, status: 'answered', answer: 'reject', ...given }]);
  const notices = started
    .stdout()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
  const { at: _, ...told } = given;
  expect(notices.filter(({ type }) => type === 'approval.answered')).toEqual([
    { ...told, type: 'approval.answered', at: time, session: 's', approval: id, action: 'reject', ...asked },
  ]);
  expect(project.run(['log', 's']).stdout).toMatch(
    /\n[\d:]{8} - \[work 1\] rejected by .+ with hookloop reject: Plan: Is it right\? \(it is left\)\n/,
  );
  const files = [{ path: 'plan.md', format: 'markdown' }];
  expect(JSON.parse(project.read('~/payload'))).toMatchObject({ runId: 's', ...asked, context: { runId: 's', files } });
});

test('ask refuses a task with the words of the person who said no, and lets it pass after a yes', async () => {
  links.length = 0;
  const { port } = receiver.address() as AddressInfo;
  const ask = {
    ask: 'Is ${TASK_CONTENT} done?',
    name: 'person',
    notify: `http://127.0.0.1:${port}/`,
    body: { link: '${CALLBACK_URL}' },
    callback_port: callbackPort,
  };
  const project = bundled.project({
    ...diary(),
    'tasks.md': '- [x] the work\n- [ ] the rest\n',
    'hookloop.yaml': JSON.stringify({ hooks: { 'task.completing': [ask] } }),
  });
  const run = start(project, [
    'run',
    '--agent',
    diaryAgent,
    '--session',
    's',
    '--tasks',
    'tasks.md',
    '--max-iterations',
    '1',
  ]);
  const first = await toldBy(run);
  answer(project, 'reject', first, 'where are the tests?');
  await eventually(() => links.length === 2);
  const told = project.heard().at(-1)?.text ?? '';
  expect(told).toContain('Hook "person" refused this task: ');
  expect(told).toContain('where are the tests?\nFix this, then finish the task again.');
  const asked = allQuestions(join(project.home, '.local/state/hookloop/approvals')).find(({ id }) => id !== first);
  answer(project, 'approve', asked!.id, '');
  await run.ended;
  expect(answersIn(project)).toMatchObject([
    { id: first, question: 'Is the rest done?', answer: 'reject' },
    { id: asked!.id, answer: 'approve' },
  ]);
});
