import { expect, test } from 'vitest';
import { root } from '../program.ts';
import { childEntries, parent } from './children.ts';
import { bundleForTests, eventually, processesOf } from './project.ts';

const bundled = await bundleForTests();

/** An agent has 60 s to answer: whoever waits for that takes longer, and the end on a busy machine does not. */
const heldUpMs = 40_000;

const agentThat = (answers: object): string =>
  `acp:'${process.execPath}' '${root}/test/fixtures/agents/acp-answers.mjs' '${JSON.stringify(answers)}'`;

test.each([
  ['initialize', { initialize: 'never' }, 130, 'SIGINT'],
  ['session/new', { 'session/new': 'never', deaf: true }, 143, 'SIGTERM'],
] as const)('an agent that never answers %s does not hold up the end', async (method, answers, code, signal) => {
  const fixture = `'${process.execPath}' '${root}/test/fixtures/agents/acp-answers.mjs'`;
  const project = bundled.project({
    '~/agent.sh': `exec ${fixture} "$(cat ~/answers.json)"\n`,
    '~/answers.json': JSON.stringify(answers),
  });
  const started = project.start(['run', '--prompt', 'x', '--session', 's', '--agent', 'acp:sh ~/agent.sh']);
  await eventually(() => project.lines('~/asked').includes(method));
  const fromMs = performance.now();
  started.process.kill(signal);
  expect(await started.ended).toEqual({ code, signal: null });
  expect(performance.now() - fromMs).toBeLessThan(heldUpMs);
  expect(processesOf(project)).toEqual([]);
  const closed = { kind: 'session.closed', status: 'interrupted', reason: 'while the agent was started' };
  expect(project.journal('s').at(-1)).toMatchObject(closed);
  expect(started.stderr()).not.toContain('the agent has failed');
  project.write('~/answers.json', '{}');
  expect(project.run(['resume', 's']).exit).toBe(0);
});

test.each(['initialize', 'session/new'])('a child whose agent never answers %s ends with its timeout', async method => {
  const project = bundled.project({
    ...parent('pipeline: slow, timeout: 1'),
    'pipelines/slow.yaml': `agent: ${JSON.stringify(agentThat({ [method]: 'never' }))}\nprompt: go on\n`,
  });
  const fromMs = performance.now();
  const ran = project.session(['--prompt', 'work']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(performance.now() - fromMs).toBeLessThan(heldUpMs);
  expect(project.lines('~/seen')).toEqual(['failed: ']);
  expect(processesOf(project)).toEqual([]);
  expect(childEntries(project, 'iteration.completed-1').at(-1)).toMatchObject({ status: 'interrupted' });
});

test.each([
  [{ 'session/prompt': null }, 'the agent answered session/prompt without a stop reason: null'],
  [{ 'session/prompt': { stopReason: 'banana' } }, 'the agent ended its turn with an unknown stop reason: "banana"'],
  [{ 'session/new': {} }, 'no conversation could be opened: the agent answered session/new without a session id: {}'],
])('an answer that is none fails the iteration: %j', (answers, reason) => {
  const project = bundled.project({});
  const ran = project.run(['run', '--prompt', 'x', '--session', 's', '--agent', agentThat(answers)]);
  expect([ran.exit, ran.stderr + ran.stdout]).toEqual([1, expect.stringContaining(reason)]);
});
