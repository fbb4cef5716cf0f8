import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type {
  AgentActivity,
  AgentListener,
  AgentPort,
  AgentStart,
  Conversation,
  RunningAgent,
} from '../../src/model/agent.ts';
import type { Decision, HookEvent } from '../../src/model/index.ts';

/** Prompts that make an agent of this kind do what the suite looks at. Files are written in the project. */
export interface AgentPrompts {
  /** The answer contains `hello`. */
  greet: string;
  /** Told that the colour is blue. */
  learn: string;
  /** After `learn` in the same conversation the answer contains `blue`. */
  recall: string;
  /** Starts a child, puts its pid (a line) into `pids`, and goes on until it is cancelled. */
  hold: string;
  /** The turn fails with a reason that contains `boom`. */
  fail: string;
  /** Calls its shell tool with `echo made > made.txt`. */
  useTool?: string;
}

export interface AgentCase {
  name: string;
  create(project: string): AgentPort;
  prompts: AgentPrompts;
  /** What this kind cannot do, and why. */
  skip?: { freshConversations?: string; tools?: string };
}

/** What every agent promises, whatever it is: run by each kind of agent. */
export function testAgent({ name, create, prompts, skip = {} }: AgentCase): void {
  describe(`agent ${name}`, () => {
    const open = async (more: Partial<AgentStart> = {}) => openAgent(create, more);

    test('answers a prompt and is alive until it is stopped', async () => {
      const { agent, conversation } = await open();
      const turn = await conversation.prompt([prompts.greet], { signal: never });
      expect(turn).toMatchObject({ kind: 'ended', text: expect.stringContaining('hello'), stopReason: 'end_turn' });
      expect(agent.isAlive()).toBe(true);
      await agent.stop();
      expect(agent.isAlive()).toBe(false);
    });

    test('carries a conversation from prompt to prompt', async () => {
      const { conversation } = await open();
      await conversation.prompt([prompts.learn], { signal: never });
      const turn = await conversation.prompt([prompts.recall], { signal: never });
      expect(turn).toMatchObject({ kind: 'ended', text: expect.stringContaining('blue') });
    });

    test.skipIf(skip.freshConversations)('begins another conversation with nothing', async () => {
      const { agent, conversation } = await open();
      await conversation.prompt([prompts.learn], { signal: never });
      const other = await conversationOf(agent);
      expect(other.id).not.toBe(conversation.id);
      const turn = await other.prompt([prompts.recall], { signal: never });
      expect(turn).toMatchObject({ kind: 'ended', text: expect.not.stringContaining('blue') });
    });

    test('fails a turn with the reason, and goes on', async () => {
      const { conversation } = await open();
      const turn = await conversation.prompt([prompts.fail], { signal: never });
      expect(turn).toMatchObject({ kind: 'failed', reason: expect.stringContaining('boom'), agentDied: false });
      expect(await conversation.prompt([prompts.greet], { signal: never })).toMatchObject({ kind: 'ended' });
    });

    test('is cancelled, leaves nothing of that prompt running once stopped, and answers again', async () => {
      const { agent, conversation, project } = await open();
      const cancel = new AbortController();
      const held = conversation.prompt([prompts.hold], { signal: cancel.signal });
      const pids = await pidsIn(project);
      cancel.abort();
      expect(await held).toEqual({ kind: 'cancelled' });
      expect(await conversation.prompt([prompts.greet], { signal: never })).toMatchObject({ kind: 'ended' });
      await agent.stop();
      expect(pids.filter(isRunning)).toEqual([]);
    });

    test('does nothing for a prompt that is cancelled before it is sent', async () => {
      const { conversation, project } = await open();
      expect(await conversation.prompt([prompts.hold], { signal: AbortSignal.abort() })).toEqual({ kind: 'cancelled' });
      expect(existsSync(join(project, 'pids'))).toBe(false);
    });

    test('settles a prompt when it is stopped in the middle, and everything ends', async () => {
      const { agent, conversation, project } = await open();
      const held = conversation.prompt([prompts.hold], { signal: never });
      const pids = await pidsIn(project);
      await agent.stop();
      expect(await held).toMatchObject({ kind: 'failed', agentDied: true });
      expect(pids.filter(isRunning)).toEqual([]);
      expect(await conversation.prompt([prompts.greet], { signal: never })).toMatchObject({
        kind: 'failed',
        agentDied: true,
      });
    });

    test('ends with everything it started when the signal of its start is aborted', async () => {
      const end = new AbortController();
      const { conversation, project } = await open({ signal: end.signal });
      const held = conversation.prompt([prompts.hold], { signal: never });
      const pids = await pidsIn(project);
      end.abort();
      expect(await held).toMatchObject({ kind: 'failed', agentDied: true });
      await eventually(() => pids.filter(isRunning).length === 0);
    });

    test('does not start when its signal is already aborted', async () => {
      const { start } = world();
      const started = await create(start.cwd).start({ ...start, signal: AbortSignal.abort() });
      expect(started.kind).toBe('failed');
    });

    test.skipIf(skip.tools)(
      'asks before a tool call and tells of it afterwards, one by one, within the turn',
      async () => {
        const listening = createListening({ slow: true });
        const { conversation, project } = await open({ listener: listening.listener });
        await conversation.prompt([prompts.useTool!], { signal: never });
        expect(readFileSync(join(project, 'made.txt'), 'utf8')).toBe('made\n');
        const [asked, ...told] = listening.events;
        expect(asked).toMatchObject({ name: 'tool.calling', tool: 'Bash', input: { command: 'echo made > made.txt' } });
        expect(told).toEqual([
          expect.objectContaining({ name: 'tool.called', tool: 'Bash', toolCallId: asked!.toolCallId }),
          expect.objectContaining({ name: 'file.edited', file: 'made.txt' }),
        ]);
        expect(listening.overlaps).toBe(0);
        expect(listening.isIdle()).toBe(true);
      },
    );

    test.skipIf(skip.tools)('does not make a refused call and tells nothing of it', async () => {
      const refusal: Decision = { kind: 'block', reason: 'not here', by: 'test#1' };
      const listening = createListening({ decision: refusal });
      const { conversation, project } = await open({ listener: listening.listener });
      const turn = await conversation.prompt([prompts.useTool!], { signal: never });
      expect(turn.kind).toBe('ended');
      expect(existsSync(join(project, 'made.txt'))).toBe(false);
      expect(listening.events.map(event => event.name)).toEqual(['tool.calling']);
    });

    test.skipIf(skip.tools)('settles a cancelled prompt although no one answers its question', async () => {
      const listening = createListening({ decision: new Promise<Decision>(() => {}) });
      const { conversation, project } = await open({ listener: listening.listener });
      const cancel = new AbortController();
      const asking = conversation.prompt([prompts.useTool!], { signal: cancel.signal });
      await eventually(() => listening.events.length > 0);
      cancel.abort();
      expect(await asking).toEqual({ kind: 'cancelled' });
      expect(existsSync(join(project, 'made.txt'))).toBe(false);
    });
  });
}

export const never: AbortSignal = new AbortController().signal;

/** A project of its own, and the simplest way to start an agent in it. */
export function world(more: Partial<AgentStart> = {}): { project: string; start: AgentStart } {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-agent-')));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const env = { PATH: process.env['PATH'] ?? '', HOME: project };
  return {
    project,
    start: { cwd: project, env, listener: createListening().listener, mcpServers: [], signal: never, ...more },
  };
}

/** Starts an agent that goes with the test, and opens a conversation. */
export async function openAgent(
  create: (project: string) => AgentPort,
  more: Partial<AgentStart> = {},
): Promise<{ agent: RunningAgent; conversation: Conversation; project: string }> {
  const { project, start } = world(more);
  const started = await create(project).start(start);
  if (started.kind !== 'started') throw new Error(`${started.kind}: ${started.reason}`);
  onTestFinished(() => started.agent.stop());
  return { agent: started.agent, conversation: await conversationOf(started.agent), project };
}

export async function conversationOf(agent: RunningAgent, resume?: string): Promise<Conversation> {
  const conversed = await agent.converse(resume === undefined ? {} : { resume });
  if (conversed.kind !== 'open') throw new Error(conversed.reason);
  return conversed.conversation;
}

export interface Listening {
  listener: AgentListener;
  events: readonly HookEvent[];
  /** Calls that were refused and made all the same. */
  calledAnyway: readonly string[];
  shown: readonly AgentActivity[];
  /** How often something was told before the last had been taken. */
  readonly overlaps: number;
  isIdle(): boolean;
}

/** Hears everything. `slow`: takes a while over each event, as hooks do. */
export function createListening(options: { slow?: boolean; decision?: Decision | Promise<Decision> } = {}): Listening {
  const events: HookEvent[] = [];
  const shown: AgentActivity[] = [];
  const calledAnyway: string[] = [];
  let busy = 0;
  let overlaps = 0;
  const take = async (event: HookEvent): Promise<void> => {
    if (busy > 0) overlaps += 1;
    busy += 1;
    events.push(event);
    if (options.slow) await new Promise(resolve => setTimeout(resolve, 30));
    busy -= 1;
  };
  return {
    listener: {
      async ask(event, known) {
        if (known) return known;
        await take(event);
        return options.decision ?? { kind: 'proceed' };
      },
      async calling(event) {
        await take(event);
        return options.decision ?? { kind: 'proceed' };
      },
      calledAnyway: async ({ toolCallId = '' }) => void calledAnyway.push(toolCallId),
      tell: take,
      show: activity => void shown.push(activity),
    },
    events,
    calledAnyway,
    shown,
    get overlaps() {
      return overlaps;
    },
    isIdle: () => busy === 0,
  };
}

export async function pidsIn(project: string): Promise<number[]> {
  const file = join(project, 'pids');
  const read = (): number[] => readFileSync(file, 'utf8').trim().split('\n').map(Number);
  await eventually(() => existsSync(file) && read().every(pid => pid > 0));
  const pids = read();
  expect(pids.filter(isRunning)).toEqual(pids);
  return pids;
}

export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** Polls until the condition holds; fails the test if it does not in time. */
export async function eventually(condition: () => boolean, withinMs = 10_000): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`did not happen within ${withinMs} ms: ${condition}`);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
