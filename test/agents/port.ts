import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { resolveAgent } from '../../src/agents/index.ts';
import type { Conversation, Conversed, RunningAgent } from '../../src/model/agent.ts';
import type { Decision, HookEvent } from '../../src/model/index.ts';
import { claudeToolName } from '../../src/model/tool-call.ts';
import { eventually, never } from '../contracts/agent.ts';
import type { RealAgent } from './cases/case.ts';
import { missingIn } from './heard.ts';
import { createPlace, type Place } from './place.ts';

const desk = fileURLToPath(new URL('./desk.mjs', import.meta.url));
const refusal: Decision = { kind: 'block', reason: 'not here', by: 'test#1' };

/** What a real agent does behind the port. One process for most of it, since some need seconds to start. */
export function testPort(real: RealAgent): void {
  const binFolder = inject('agentFolders')[real.name];
  describe.skipIf(binFolder === undefined)(real.name, () => {
    let place: Place;
    let agent: RunningAgent;
    let conversation: Conversation;
    let decision: Decision = { kind: 'proceed' };
    const events: HookEvent[] = [];
    const logs: string[] = [];
    const calledAnyway: (string | undefined)[] = [];

    const start = async (): Promise<RunningAgent> => {
      const port = resolveAgent(real.name, { cwd: place.project, env: place.env });
      if (!('start' in port)) throw new Error(port.message);
      const started = await port.start({
        cwd: place.project,
        env: place.env,
        mcpServers: [{ name: 'desk', command: process.execPath, args: [desk, place.pathOf('notes')], env: {} }],
        signal: never,
        listener: {
          async ask(event, known) {
            if (known) return known;
            events.push(event);
            return decision;
          },
          async calling(event) {
            events.push(event);
            return decision;
          },
          calledAnyway: async ({ toolCallId }) => void calledAnyway.push(toolCallId),
          async tell(event) {
            events.push(event);
          },
          show: activity => void (activity.kind === 'log' && logs.push(activity.text)),
        },
      });
      if (started.kind !== 'started') throw new Error(`${started.reason}\n${logs.join('\n')}`);
      return started.agent;
    };
    const prompt = (text: string, signal = never) => conversation.prompt([text], { signal });
    const namesOf = (tool: HookEvent | undefined): string[] =>
      events.filter(({ toolCallId }) => toolCallId === tool?.toolCallId).map(({ name }) => name);

    beforeAll(async () => {
      place = await createPlace(real, binFolder!);
    });
    afterAll(async () => {
      await agent?.stop();
      await place.leave();
    });

    test('starts, opens a conversation and answers a prompt', async () => {
      agent = await start();
      conversation = opened(await agent.converse()).conversation;
      place.model.script([{ text: 'Hello from the model.' }]);
      const turn = await prompt('Say hello, my number is 4711.');
      expect(turn).toMatchObject({ kind: 'ended', text: 'Hello from the model.', stopReason: 'end_turn' });
      expect(place.model.heard().map(text => missingIn(text, 'my number is 4711'))).toEqual([[]]);
    });

    test('asks before a command, runs it when allowed, and tells of it once', async () => {
      events.length = 0;
      place.model.script([{ text: 'I run it.', tools: [real.shell('echo ran > ran.txt')] }, { text: 'It ran.' }]);
      const turn = await prompt('Run the command.');
      expect(turn).toMatchObject({ kind: 'ended', text: expect.stringContaining('It ran.') });
      expect(place.read('ran.txt')).toBe('ran\n');
      const [asked] = events;
      expect(asked).toMatchObject({ name: 'tool.calling', input: { command: 'echo ran > ran.txt' } });
      expect(claudeToolName(asked!.tool!)).toBe('Bash');
      expect(namesOf(asked).filter(name => name === 'tool.called')).toHaveLength(1);
    });

    test('tells which file a command has edited', () =>
      expect(events.filter(({ name }) => name === 'file.edited')).toMatchObject([{ file: 'ran.txt' }]));

    test('the next prompt of the conversation has all of it', () => {
      const [first = ''] = place.model.heard();
      expect(missingIn(first, 'my number is 4711', 'Hello from the model.', 'Run the command.')).toEqual([]);
    });

    test('asks about two calls of one message one by one, and tells of each once', async () => {
      events.length = 0;
      const tools = [real.shell('echo one > one.txt'), real.shell('echo two > two.txt')];
      place.model.script([{ text: 'I run both.', tools }, { text: 'Both ran.' }]);
      const turn = await prompt('Run both.');
      expect(turn).toMatchObject({ kind: 'ended', text: expect.stringContaining('Both ran.') });
      const named = (name: string) => events.filter(event => event.name === name);
      expect(new Set(named('tool.calling').map(({ toolCallId }) => toolCallId)).size).toBe(2);
      expect(named('tool.called')).toHaveLength(2);
      expect(
        named('file.edited')
          .map(({ file }) => file)
          .sort(),
      ).toEqual(['one.txt', 'two.txt']);
    });

    test('asks before an edit and tells which file it edited, once', async () => {
      events.length = 0;
      const write = real.write(place.pathOf('made.txt'), 'made\n');
      place.model.script([{ text: 'I write it.', tools: [write] }, { text: 'It is written.' }]);
      const turn = await prompt('Write the file.');
      expect(turn).toMatchObject({ kind: 'ended', text: expect.stringContaining('It is written.') });
      expect(place.read('made.txt')).toBe('made\n');
      const asked = events.find(({ name }) => name === 'tool.calling');
      expect(asked).toMatchObject({ file: 'made.txt', input: { content: 'made\n' } });
      expect(claudeToolName(asked!.tool!)).toBe('Write');
      expect(namesOf(asked).filter(name => name === 'tool.called')).toHaveLength(1);
      expect(events.filter(({ name }) => name === 'file.edited')).toMatchObject([
        { file: 'made.txt', tool: asked!.tool, toolCallId: asked!.toolCallId },
      ]);
    });

    test('calls a tool of an MCP server it was handed, and the answer reaches the model', async () => {
      events.length = 0;
      const note = real.mcp('desk', 'note', { text: 'remember' });
      place.model.script([{ text: 'I note it.', tools: [note] }, { text: 'It is noted.' }]);
      const turn = await prompt('Note it.');
      expect(turn).toMatchObject({ kind: 'ended', text: expect.stringContaining('It is noted.') });
      expect(place.read('notes')).toBe('remember\n');
      expect(missingIn(place.model.heard().at(-1)!, 'kept: remember')).toEqual([]);
      expect(events.filter(({ name }) => name === 'tool.called')).toHaveLength(1);
    });

    test('does not run a refused command, and its turn comes to an end', async () => {
      events.length = 0;
      decision = refusal;
      place.model.script([{ text: 'I try.', tools: [real.shell('echo bad > bad.txt')] }, { text: 'I could not.' }]);
      const turn = await prompt('Do something forbidden.');
      decision = { kind: 'proceed' };
      expect(place.read('bad.txt')).toBeUndefined();
      expect(events.map(({ name }) => name)).toEqual(['tool.calling']);
      expect(turn.kind).toBe('ended');
      expect(place.model.heard()).toHaveLength(real.afterRefusal === 'goes-on' ? 2 : 1);
    });

    test(
      real.editsUnasked ? 'tells of a refused edit that it makes without asking' : 'does not make a refused edit',
      async () => {
        events.length = 0;
        calledAnyway.length = 0;
        decision = refusal;
        const write = real.write(place.pathOf('unmade.txt'), 'unmade\n');
        place.model.script([{ text: 'I try.', tools: [write] }, { text: 'I could not.' }]);
        const turn = await prompt('Write something forbidden.');
        decision = { kind: 'proceed' };
        if (real.editsUnasked) expect(calledAnyway).toEqual([events[0]?.toolCallId]);
        else expect(place.read('unmade.txt')).toBeUndefined();
        expect(events.map(({ name }) => name)).toEqual(['tool.calling']);
        expect(turn.kind).toBe('ended');
      },
    );

    test('answers the prompt after a refusal', async () => {
      place.model.script([{ text: 'Still here.' }]);
      expect(await prompt('Are you there?')).toMatchObject({ kind: 'ended', text: 'Still here.' });
    });

    test('a fresh conversation knows nothing of the first', async () => {
      const fresh = opened(await agent.converse());
      place.model.script([{ text: 'Who are you?' }]);
      await fresh.conversation.prompt(['A new start.'], { signal: never });
      const [first = ''] = place.model.heard();
      expect(missingIn(first, 'A new start.', '4711')).toEqual(['4711']);
    });

    test('is cancelled in the middle of a turn, and answers again', async () => {
      const cancel = new AbortController();
      place.model.script([{ hold: true }]);
      const held = prompt('Think for ever.', cancel.signal);
      await eventually(() => place.model.heard().length === 1, 30_000);
      cancel.abort();
      expect(await held).toEqual({ kind: 'cancelled' });
      expect(agent.isAlive()).toBe(true);
      place.model.script([{ text: 'Back again.' }]);
      expect(await prompt('Go on.')).toMatchObject({ kind: 'ended', text: 'Back again.' });
    });

    test('fails a turn whose model answers with an error, and answers again', async () => {
      place.model.script(Array.from({ length: 20 }, () => ({ fails: true }) as const));
      const turn = await prompt('This goes wrong.');
      expect(turn).toMatchObject({ kind: 'failed', agentDied: false });
      expect(turn.kind === 'failed' && turn.reason).toContain('the model is out of order');
      place.model.script([{ text: 'All is well.' }]);
      expect(await prompt('Once more.')).toMatchObject({ kind: 'ended', text: 'All is well.' });
    });

    test('is stopped, and no process of it is left', async () => {
      expect(place.running()).not.toEqual([]);
      await agent.stop();
      expect(place.running()).toEqual([]);
    });

    test('a new process takes the conversation up again, history and all, and repeats no event', async () => {
      events.length = 0;
      place.age();
      agent = await start();
      const again = opened(await agent.converse({ resume: conversation.id }));
      expect(again).toMatchObject({ resumed: true, conversation: { id: conversation.id } });
      place.model.script([{ text: 'It is 4711.' }]);
      const turn = await again.conversation.prompt(['What is my number?'], { signal: never });
      expect(turn).toMatchObject({ kind: 'ended', text: 'It is 4711.' });
      const [first = ''] = place.model.heard();
      expect(missingIn(first, 'my number is 4711', 'Hello from the model.', 'What is my number?')).toEqual([]);
      expect(events).toEqual([]);
      conversation = again.conversation;
    });

    test('is killed in the middle of a turn: the turn fails, and nothing of it is left', async () => {
      place.model.script([{ hold: true }]);
      const held = prompt('Think for ever.');
      await eventually(() => place.model.heard().length === 1, 30_000);
      process.kill(place.running().find(isLeader)!, 'SIGKILL');
      expect(await held).toMatchObject({ kind: 'failed', agentDied: true });
      await eventually(() => place.running().length === 0);
    });
  });
}

/** The process that was started, not what it has started in turn. */
const isLeader = (pid: number): boolean => {
  const [, , group] = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  return Number(group) === pid;
};

function opened(conversed: Conversed): Extract<Conversed, { kind: 'open' }> {
  if (conversed.kind !== 'open') throw new Error(conversed.reason);
  return conversed;
}
