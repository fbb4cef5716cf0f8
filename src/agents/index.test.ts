import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { conversationOf, createListening, never, world } from '../../test/contracts/agent.ts';
import { execLine } from './command-line.ts';
import { resolveAgent } from './index.ts';
import { withoutFailures } from './port.ts';

const context = { cwd: '/', env: {} };

test.each([
  ['claude', 'claude'],
  ['opencode', 'opencode'],
  ['acp:gemini --acp', 'acp'],
  ['command: ./agent.sh -x', 'command'],
  ['scripted:turns.yaml', 'scripted'],
])('%s is an agent', (spec, name) => expect(resolveAgent(spec, context)).toMatchObject({ name }));

test.each([
  ['claud', 'did you mean claude?'],
  ['comand:x', 'did you mean command?'],
  ['acp:', 'write acp:COMMAND'],
  ['scripted: ', 'write scripted:FILE'],
  ['', 'known: claude, codex, gemini, qwen, opencode, acp:COMMAND, command:COMMAND, scripted:FILE'],
  ['constructor:x', 'known: claude, codex, gemini, qwen, opencode, acp:COMMAND, command:COMMAND, scripted:FILE'],
])('%j is none, with a hint', (spec, hint) =>
  expect(resolveAgent(spec, context)).toEqual({ kind: 'unknown', message: expect.any(String), hint }),
);

test('a script is looked for where the agent was named', async () => {
  const { start, project } = world();
  const elsewhere = world().project;
  writeFileSync(join(elsewhere, 's.json'), '{"turns":[{"text":"hi"}]}');
  const port = resolveAgent('scripted:~/s.json', { cwd: project, env: { HOME: elsewhere } });
  if ('kind' in port) throw new Error(port.message);
  const started = await port.start(start);
  if (started.kind !== 'started') throw new Error(started.reason);
  const conversation = await conversationOf(started.agent);
  expect(await conversation.prompt(['x'], { signal: never })).toMatchObject({ text: 'hi' });
});

test.each([
  ['agent --acp', 'exec agent --acp'],
  ['agent {session} "a b"', 'exec agent {session} "a b"'],
  ['KEY=1 agent', 'KEY=1 agent'],
  ['a && b', 'a && b'],
  ['exec agent', 'exec agent'],
  ['if true; then agent; fi', 'if true; then agent; fi'],
])('%s runs as %s', (command, script) => expect(execLine(command)).toBe(script));

test('a listener that breaks refuses and is shown', async () => {
  const { listener: good, shown } = createListening();
  const broken = async (): Promise<never> => {
    throw new Error('disk full');
  };
  const listener = withoutFailures({ ...good, ask: broken, tell: broken });
  expect(await listener.ask({ name: 'tool.calling' })).toMatchObject({
    kind: 'block',
    reason: expect.stringContaining('disk full'),
  });
  await listener.tell({ name: 'tool.called' });
  expect(shown).toEqual([{ kind: 'log', text: 'tool.called was lost: Error: disk full' }]);
});
