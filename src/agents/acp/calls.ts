import type { AgentListener } from '../../model/agent.ts';
import type { Decision, HookEvent } from '../../model/index.ts';
import { unlessCancelled } from '../cancel.ts';
import { createDesk } from './desk.ts';
import type { Queue } from './queue.ts';
import { createShellEdits } from './shell-edits.ts';
import {
  createToolCall,
  editedFiles,
  hasInput,
  isShellCall,
  patch,
  recordOf,
  type ToolCall,
  toolName,
  toolOutput,
} from './tool-call.ts';
import { calledEvent, callingEvent, editedEvent, failedEvent } from './tool-events.ts';

/** The tool calls of one conversation: what the agent reports becomes events, each once. */
export interface Calls {
  /** A `tool_call` or `tool_call_update`. */
  take(update: unknown): void;
  /** The agent waits for leave to make a call; undefined: interrupted before there was an answer. */
  ask(toolCall: unknown, interrupted: AbortSignal): Promise<Decision | undefined>;
  /** Whether an open call may already write this file. */
  mayWrite(path: string): boolean;
  /** The open call that is about this file. */
  about(path: string): ToolCall | undefined;
  /** Told by whoever wrote the file itself. */
  tellEdited(path: string): Promise<void>;
  /** A turn begins: what is there now is not the agent's work. */
  begin(): Promise<void>;
  /** The turn has ended: calls without a result get none any more. */
  close(): void;
}

interface Tracked {
  call: ToolCall;
  answer?: { question: string; decision: Decision };
  shown: string;
  toldPaths: Set<string>;
  isWatched: boolean;
}

const keptIds = 10_000;

export function createCalls(
  root: string,
  listener: AgentListener,
  queue: Queue,
  desk = createDesk(listener, queue),
): Calls {
  const open = new Map<string, Tracked>();
  /** In which turn a call got its end. */
  const settled = new Map<string, number>();
  const shellEdits = createShellEdits(root);
  let turn = 0;

  const track = (id: string): Tracked => {
    const known = open.get(id);
    if (known) return known;
    const made: Tracked = { call: createToolCall(id), shown: '', toldPaths: new Set(), isWatched: false };
    open.set(id, made);
    settled.delete(id);
    return made;
  };
  const learn = (tracked: Tracked, update: unknown): void => {
    const { call } = tracked;
    patch(call, update);
    show(tracked);
    if (tracked.isWatched || !isShellCall(call)) return;
    tracked.isWatched = true;
    const sinceMs = Date.now();
    inOrder(() => shellEdits.begin(sinceMs));
  };
  const show = (tracked: Tracked): void => {
    const { id, title = id, status } = tracked.call;
    if (tracked.shown === `${status} ${title}`) return;
    tracked.shown = `${status} ${title}`;
    listener.show({ kind: 'tool', id, title, status });
  };
  const inOrder = (work: () => Promise<void>): void => {
    queue.add(work).catch((error: unknown) => listener.show({ kind: 'log', text: String(error) }));
  };
  const tellFile = async (path: string, call?: ToolCall): Promise<void> => {
    await listener.tell(editedEvent(path, call));
    // Only now: a hook may have put the file in order.
    shellEdits.taken(path);
  };
  const settle = ({ call, answer, toldPaths, isWatched }: Tracked): void => {
    open.delete(call.id);
    settled.set(call.id, turn);
    if (settled.size > keptIds) settled.delete(settled.keys().next().value!);
    const isRefused = answer !== undefined && answer.decision.kind !== 'proceed';
    if (isRefused) {
      leave(isWatched);
      return;
    }
    inOrder(async () => {
      // Before the hooks: what they write is not the agent's.
      const found = isWatched ? await shellEdits.end(listener) : [];
      await listener.tell(call.status === 'completed' ? calledEvent(call, root) : failedEvent(call, root));
      const named = call.status === 'completed' ? editedFiles(call, root) : [];
      const edited = new Set([...named.filter(path => !toldPaths.has(path)), ...found]);
      for (const path of edited) await tellFile(path, call);
    });
  };
  const leave = (isWatched: boolean): void => {
    if (isWatched) inOrder(() => shellEdits.leave());
  };
  const about = (path: string): ToolCall | undefined =>
    [...open.values()].find(({ call }) => editedFiles(call, root).includes(path))?.call;

  return {
    take(update) {
      const { toolCallId: id, sessionUpdate } = recordOf(update);
      if (typeof id !== 'string') return;
      // An agent may use an id again in a later turn; a late word about an old call is only that.
      const isOver = settled.has(id) && (sessionUpdate !== 'tool_call' || settled.get(id) === turn);
      if (isOver) return;
      const tracked = track(id);
      learn(tracked, update);
      if (tracked.call.status === 'completed' || tracked.call.status === 'failed') settle(tracked);
    },
    async ask(toolCall, interrupted) {
      const tracked = track(String(recordOf(toolCall)['toolCallId']));
      learn(tracked, toolCall);
      const event: HookEvent<'tool.calling'> = callingEvent(tracked.call, root);
      tracked.call.name ??= toolName(tracked.call);
      if (!hasInput(tracked.call)) tracked.call.rawInput = event.input;
      const question = JSON.stringify([event.tool, event.input]);
      if (tracked.answer?.question === question) return tracked.answer.decision;
      const decision = await desk.ask(event, interrupted);
      if (decision) tracked.answer = { question, decision };
      // The agent still waits: what hooks wrote meanwhile is not its work.
      if (tracked.isWatched && decision?.kind === 'proceed')
        await unlessCancelled(
          queue.add(() => shellEdits.anew()),
          interrupted,
        );
      return decision;
    },
    mayWrite: path =>
      [...open.values()].some(
        ({ call, answer }) => answer?.decision.kind === 'proceed' && editedFiles(call, root).includes(path),
      ),
    about,
    tellEdited(path) {
      const call = about(path);
      for (const { toldPaths } of open.values()) toldPaths.add(path);
      return queue.add(() => tellFile(path, call));
    },
    begin: () => queue.add(() => shellEdits.anew()),
    close() {
      for (const tracked of [...open.values()]) {
        const { call, answer } = tracked;
        const hasBegun = call.status === 'running' || answer?.decision.kind === 'proceed';
        call.status = 'failed';
        call.rawOutput ??= toolOutput(call) ?? 'the turn ended before the call did';
        show(tracked);
        if (hasBegun) settle(tracked);
        else {
          open.delete(call.id);
          leave(tracked.isWatched);
        }
      }
      turn += 1;
    },
  };
}
