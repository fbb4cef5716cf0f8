import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  conversationOf,
  createListening,
  isRunning,
  never,
  openAgent,
  pidsIn,
  testAgent,
  world,
} from '../../test/contracts/agent.ts';
import { createCommandAgent } from './command-agent.ts';

const program = fileURLToPath(new URL('../../test/fixtures/agents/command-agent.sh', import.meta.url));
const create = () => createCommandAgent(`'${program}'`);

testAgent({
  name: 'command',
  create,
  prompts: { greet: 'good morning', learn: 'the colour is blue', recall: 'recall', hold: 'hold', fail: 'fail' },
  skip: { tools: 'a program of its own says nothing about its tools' },
});

const answerTo = async (command: string, ...prompts: readonly string[]) => {
  const { conversation } = await openAgent(() => createCommandAgent(command));
  let turn: unknown;
  for (const prompt of prompts) turn = await conversation.prompt([prompt], { signal: never });
  return { turn, id: conversation.id };
};

test('the first prompt arrives exactly as it is', async () =>
  expect((await answerTo('cat', 'a\n\n "$(touch x)" `b`')).turn).toMatchObject({ text: 'a\n\n "$(touch x)" `b`' }));

test('later prompts bring the earlier messages in the documented format', async () =>
  expect((await answerTo("sh -c 'cat > seen; echo answer; cat seen >&2'; cat seen", 'one', 'two')).turn).toMatchObject({
    text: 'answer\n[conversation so far]\n[user]\none\n[assistant]\nanswer\none\n[end of conversation so far]\n\ntwo',
  }));

test('a turn that failed is part of the conversation, with what it printed', async () => {
  const failing =
    'cat > seen; test -e failed || { touch failed; echo half an answer; echo boom >&2; exit 7; }; cat seen';
  expect((await answerTo(failing, 'one', 'two')).turn).toMatchObject({
    text: "[conversation so far]\n[user]\none\n[assistant]\nhalf an answer\n[this turn failed: the agent's command ended with exit code 7]\nboom\n[end of conversation so far]\n\ntwo",
  });
});

test('a program that keeps its own conversations gets the id and only the message', async () => {
  const { turn, id } = await answerTo('sh -c \'printf "%s: " "$1"; cat\' x {session}', 'one', 'two');
  expect(turn).toMatchObject({ text: `${id}: two` });
});

test('a conversation is resumed only where the program keeps it', async () => {
  const keeps = await openAgent(() => createCommandAgent('echo {session}'));
  expect(await keeps.agent.converse({ resume: 'old-id' })).toMatchObject({
    resumed: true,
    conversation: { id: 'old-id' },
  });
  const { agent } = await openAgent(create);
  expect(await agent.converse({ resume: 'old-id' })).toMatchObject({ kind: 'open', resumed: false });
});

test('an id that looks like shell text is only an id', async () => {
  const { agent } = await openAgent(() => createCommandAgent('echo {session}'));
  const conversation = await conversationOf(agent, '$(echo pwned) "; ls');
  expect(await conversation.prompt(['x'], { signal: never })).toMatchObject({ text: '$(echo pwned) "; ls' });
});

test('a place where an id cannot stand safely is refused at the start', async () => {
  const { start } = world();
  const started = await createCommandAgent('eval "run {session}"').start(start);
  expect(started).toMatchObject({ kind: 'failed', reason: expect.stringContaining('{session}') });
});

test('what a program leaves running is ended with the agent', async () => {
  const { agent, conversation, project } = await openAgent(() =>
    createCommandAgent('setsid sleep 600 >/dev/null 2>&1 & echo $! > pids; echo started'),
  );
  expect(await conversation.prompt(['x'], { signal: never })).toMatchObject({ text: 'started' });
  const pids = await pidsIn(project);
  await agent.stop();
  expect(pids.filter(isRunning)).toEqual([]);
});

test('a failure tells the exit code and the last lines', async () =>
  expect((await answerTo(`'${program}'`, 'fail')).turn).toEqual({
    kind: 'failed',
    reason: "the agent's command ended with exit code 3\nline one\nboom: no model",
    agentDied: false,
  }));

test('a program that is not there is not available', async () => {
  const { start } = world();
  expect(await createCommandAgent('no-such-program-anywhere').start(start)).toMatchObject({
    kind: 'unavailable',
    reason: expect.stringContaining('no-such-program-anywhere'),
  });
});

test('variables of the prompt are in its environment', async () => {
  const { conversation } = await openAgent(create);
  const turn = await conversation.prompt(['environment'], { signal: never, env: { SESSION: 's1', ITERATION: '4' } });
  expect(turn).toMatchObject({ text: 's1 4 turn 1' });
});

test('files that it edits are told before the turn ends, others are not', async () => {
  const listening = createListening({ slow: true });
  const { conversation, project } = await openAgent(create, { listener: listening.listener });
  writeFileSync(join(project, 'earlier.txt'), 'x');
  await conversation.prompt(['edit'], { signal: never });
  expect(listening.events).toEqual([{ name: 'file.edited', file: 'edited.txt' }]);
  expect(listening.isIdle()).toBe(true);
});

test('where edits do not matter none are told', async () => {
  const listening = createListening();
  const silent = () => createCommandAgent(`'${program}'`, { watchEdits: false });
  const { conversation, project } = await openAgent(silent, { listener: listening.listener });
  await conversation.prompt(['edit'], { signal: never });
  expect(existsSync(join(project, 'edited.txt'))).toBe(true);
  expect(listening.events).toEqual([]);
});

test('a long conversation loses its oldest messages and says so', async () => {
  const { conversation } = await openAgent(() => createCommandAgent('head -c 200000'));
  for (const n of [1, 2, 3]) await conversation.prompt([`${n}`.repeat(80_000)], { signal: never });
  const turn = await conversation.prompt(['last'], { signal: never });
  expect(turn).toMatchObject({
    text: expect.stringMatching(/^\[conversation so far, the oldest messages left out\]\n\[user\]\n[23]/),
  });
});

describe('a command that ends with exit code 75 is limited', () => {
  const limitedBy = async (status?: string) => {
    const { start, project } = world();
    const STATUS = join(project, 'status.json');
    const write = status === undefined ? '' : `printf '%s' '${status}' > "$STATUS"; `;
    const started = await createCommandAgent(
      `sh -c "${write.replaceAll('"', '\\"')}echo slow down >&2; exit 75"`,
    ).start({
      ...start,
      env: { ...start.env, STATUS },
    });
    if (started.kind !== 'started') throw new Error(started.reason);
    onTestFinished(() => started.agent.stop());
    return (await conversationOf(started.agent)).prompt(['go'], { signal: never });
  };
  const limited = {
    kind: 'limited',
    limit: 'rate',
    reason: "the agent's command is limited (exit code 75)\nslow down",
  };

  test('for as long as retry_after in status.json says', async () => {
    const beforeMs = Date.now();
    const turn = await limitedBy('{"retry_after":90}');
    expect(turn).toEqual({ ...limited, until: expect.any(String) });
    const aheadMs = Date.parse((turn as { until: string }).until) - beforeMs;
    expect(aheadMs).toBeGreaterThanOrEqual(90_000);
    expect(aheadMs).toBeLessThan(120_000);
  });

  test.each([undefined, '', 'nonsense', '{}', '{"retry_after":-1}', '{"retry_after":1e300}', '{"retry_after":"soon"}'])(
    'for a time that no one knows with the status.json %s',
    async status => expect(await limitedBy(status)).toEqual(limited),
  );
});
