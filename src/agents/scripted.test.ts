import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createListening, never, openAgent, testAgent, world } from '../../test/contracts/agent.ts';
import type { AgentStart } from '../model/agent.ts';
import { createScriptedAgent } from './scripted.ts';

/** An agent that plays this script, written as JSON, which is YAML too. */
const scripted =
  (turns: readonly object[], more: object = {}) =>
  (project: string) => {
    writeFileSync(join(project, 'script.yaml'), JSON.stringify({ turns, ...more }));
    return createScriptedAgent('script.yaml');
  };

const shell = (command: string) => ({ name: 'Bash', input: { command } });

testAgent({
  name: 'scripted',
  create: scripted([
    { when: 'greet', text: 'hello' },
    { when: 'learn', text: 'noted' },
    { when: 'recall', text: 'it was blue' },
    { when: 'hold', tools: [shell('echo $$ > pids; setsid sleep 600 & echo $! >> pids; wait')] },
    { when: 'fail', fail: 'boom' },
    { when: 'use', tools: [shell('echo made > made.txt')], text: 'used' },
  ]),
  prompts: { greet: 'greet', learn: 'learn', recall: 'recall', hold: 'hold', fail: 'fail', useTool: 'use' },
  skip: { freshConversations: 'it plays its script whatever was said' },
});

async function play(
  turns: readonly object[],
  prompts: readonly string[] = ['go'],
  more: Partial<AgentStart> = {},
  script = {},
) {
  const listening = createListening();
  const opened = await openAgent(scripted(turns, script), { listener: listening.listener, ...more });
  const played = [];
  for (const prompt of prompts) played.push(await opened.conversation.prompt([prompt], { signal: never }));
  return { ...opened, ...listening, played };
}

test('turns are played in order, those with when whenever their text occurs', async () => {
  const { played } = await play(
    [{ text: 'one' }, { when: 'gate', text: 'fixed' }, { text: 'two' }],
    ['a', 'the gate failed', 'b', 'the gate failed again'],
  );
  expect(played.map(turn => turn.kind === 'ended' && turn.text)).toEqual(['one', 'fixed', 'two', 'fixed']);
});

test('a prompt too many fails, unless the script repeats', async () => {
  const { played } = await play([{ text: 'one' }], ['a', 'b']);
  expect(played[1]).toEqual({
    kind: 'failed',
    reason: 'the script has no turn left for this prompt: b',
    agentDied: false,
  });
  const again = await play([{ text: 'one' }], ['a', 'b', 'c'], {}, { repeat: true });
  expect(again.played.map(turn => turn.kind)).toEqual(['ended', 'ended', 'ended']);
});

test('a prompt without the expected text fails the turn', async () => {
  const { played } = await play([{ expect: 'lint output', text: 'ok' }]);
  expect(played).toEqual([
    { kind: 'failed', reason: 'the prompt does not contain "lint output": go', agentDied: false },
  ]);
});

test('writes and edits really happen and are told', async () => {
  const { project, events } = await play([
    {
      tools: [
        { name: 'write_file', input: { file_path: 'src/a.txt', content: 'one $& two' } },
        { name: 'Edit', input: { file_path: 'src/a.txt', old_string: 'two', new_string: '$& three' } },
        { name: 'Edit', input: { file_path: 'src/a.txt', old_string: 'nowhere', new_string: 'x' } },
      ],
    },
  ]);
  expect(readFileSync(join(project, 'src/a.txt'), 'utf8')).toBe('one $& $& three');
  expect(events.map(({ name, tool, file }) => `${name} ${tool} ${file}`)).toEqual([
    'tool.calling write_file src/a.txt',
    'tool.called write_file src/a.txt',
    'file.edited write_file src/a.txt',
    'tool.calling Edit src/a.txt',
    'tool.called Edit src/a.txt',
    'file.edited Edit src/a.txt',
    'tool.calling Edit src/a.txt',
    'tool.failed Edit src/a.txt',
  ]);
});

test('a shell command gives its output, and fails by its exit code', async () => {
  const { events } = await play([{ tools: [shell('echo out; echo err >&2; exit 4')] }]);
  expect(events[1]).toMatchObject({
    name: 'tool.failed',
    output: { stdout: 'out\n', stderr: 'err\n', exit_code: 4 },
    error: 'exit code 4\nerr',
  });
});

test('other tools give what the script says', async () => {
  const { events } = await play([
    {
      tools: [
        { name: 'WebFetch', input: { url: 'x' }, output: { status: 200 } },
        { name: 'Odd', fails: 'no such tool' },
      ],
    },
  ]);
  expect(events.map(({ name, output }) => [name, output])).toEqual([
    ['tool.calling', undefined],
    ['tool.called', { status: 200 }],
    ['tool.calling', undefined],
    ['tool.failed', 'no such tool'],
  ]);
});

test('what hooks write before and after a shell command is no edit of the agent', async () => {
  const { listener, events } = createListening();
  let write = (): void => {};
  const { conversation, project } = await openAgent(scripted([{ tools: [shell('echo a > a'), shell('echo b > b')] }]), {
    listener: {
      ...listener,
      async ask(event) {
        write();
        return listener.ask(event);
      },
      async tell(event) {
        write();
        await listener.tell(event);
      },
    },
  });
  write = () => writeFileSync(join(project, 'hook.txt'), String(events.length));
  await conversation.prompt(['go'], { signal: never });
  expect(events.flatMap(({ name, file }) => (name === 'file.edited' ? [file] : []))).toEqual(['a', 'b']);
});

test('a task is ticked as an edit', async () => {
  const tasks = '# Tasks\n- [x] done\n- [ ] first\n  - [ ] second\n';
  const { project, conversation, events } = await play(
    [{ tick: { file: 'tasks.md' } }, { tick: { file: 'tasks.md', task: 'second' } }],
    [],
  );
  writeFileSync(join(project, 'tasks.md'), tasks);
  await conversation.prompt(['go'], { signal: never });
  await conversation.prompt(['go'], { signal: never });
  expect(readFileSync(join(project, 'tasks.md'), 'utf8')).toBe('# Tasks\n- [x] done\n- [x] first\n  - [x] second\n');
  expect(events.filter(({ name }) => name === 'file.edited').map(({ file }) => file)).toEqual(['tasks.md', 'tasks.md']);
});

test('a status is written where STATUS says', async () => {
  const { project, conversation } = await play([{ status: { decision: 'stop', reason: 'done' } }], []);
  const STATUS = join(project, 'status.json');
  expect(await conversation.prompt(['go'], { signal: never, env: { STATUS } })).toMatchObject({ kind: 'ended' });
  expect(JSON.parse(readFileSync(STATUS, 'utf8'))).toEqual({ decision: 'stop', reason: 'done' });
});

test('an agent that exits has died', async () => {
  const { played, agent } = await play([{ exit: 9 }, { text: 'never' }], ['a', 'b']);
  expect(played).toMatchObject([
    { kind: 'failed', reason: 'the scripted agent ended with exit code 9', agentDied: true },
    { kind: 'failed', agentDied: true },
  ]);
  expect(agent.isAlive()).toBe(false);
});

test('a delay is cut short by a cancel', async () => {
  const { conversation, project } = await play([{ delay: 600, tools: [shell('touch late')] }], []);
  const cancel = new AbortController();
  const turn = conversation.prompt(['go'], { signal: cancel.signal });
  cancel.abort();
  expect(await turn).toEqual({ kind: 'cancelled' });
  expect(existsSync(join(project, 'late'))).toBe(false);
});

test.each([
  ['turns:\n  - txt: hi\n', 'script.yaml:2:5: warning: unknown key "txt"'],
  ['turns: 7\n', 'script.yaml:1:8: error: expected a list, found the number 7'],
  ['turns: [', 'script.yaml:1:'],
  ['', 'script.yaml is empty'],
])('a bad script is refused with its place: %j', async (content, message) => {
  const { project, start } = world();
  writeFileSync(join(project, 'script.yaml'), content);
  const started = await createScriptedAgent('script.yaml').start(start);
  expect(started).toMatchObject({ kind: 'failed', reason: expect.stringContaining(message) });
});

test('a script that is not there is said', async () => {
  const { start } = world();
  expect(await createScriptedAgent('none.json').start(start)).toMatchObject({
    kind: 'unavailable',
    reason: expect.stringContaining('none.json'),
  });
});
