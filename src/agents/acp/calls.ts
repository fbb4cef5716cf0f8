import { unlessCancelled } from '../../actions/process/cancel.ts';
import type { AgentListener } from '../../model/agent.ts';
import { callKey } from '../../model/call-key.ts';
import type { Decision, HookEvent, Refusal } from '../../model/index.ts';
import { unheardEnd } from '../../model/tool-call.ts';
import type { Desk } from './desk.ts';
import { createPastCalls } from './past-calls.ts';
import type { Queue } from './queue.ts';
import { createShellEdits } from './shell-edits.ts';
import { shownWrites } from './shown-writes.ts';
import {
  editedFiles,
  idOf,
  isInputKnown,
  isShellCall,
  patch,
  recordOf,
  type ToolCall,
  toolName,
  toolOutput,
} from './tool-call.ts';
import { callingEvent, editedEvent, madeEvent } from './tool-events.ts';
import { firstRefused, type Heard, isAllowed, isAnswered, type Tracked } from './tracked.ts';

/** The tool calls of one conversation: what the agent reports becomes events, each once. */
export interface Calls {
  /** A `tool_call` or `tool_call_update`; `from` names the sub-agent that it is of. */
  take(update: unknown, from?: string): void;
  /** The agent waits for leave to make a call; undefined: interrupted before there was an answer. */
  ask(toolCall: unknown, interrupted: AbortSignal, from?: string): Promise<Decision | undefined>;
  /** Whether an open call was allowed to write this into the file. */
  mayWrite(path: string, content: string): boolean;
  /** The open call that is about this file. */
  about(path: string): ToolCall | undefined;
  /** Told by whoever wrote the file itself. */
  tellEdited(path: string): Promise<void>;
  /** A turn begins, until it ends or is interrupted: what is there now is not the agent's work. */
  begin(interrupted: AbortSignal): Promise<void>;
  /** The turn has ended: calls without a result get none any more. */
  close(): void;
}

/** How long an agent that says it runs a call may take to ask about it after all. */
const questionMs = 1000;

export interface CallsOptions {
  root: string;
  listener: AgentListener;
  queue: Queue;
  desk: Desk;
  /** The agent's own hooks tell of each call before it is made: what the protocol tells is needed only where they did not. */
  hooksTell?: boolean | undefined;
  /** It tells of tools of MCP servers as of kind `execute`. */
  mcpAsExecute?: boolean | undefined;
}

export function createCalls(options: CallsOptions): Calls {
  const { root, listener, queue, desk, hooksTell = false, mcpAsExecute } = options;
  const open = new Map<string, Tracked>();
  const past = createPastCalls(root, mcpAsExecute);
  const shellEdits = createShellEdits(root, () => interrupted);
  let turn = 0;
  let interrupted = AbortSignal.abort();

  const track = (key: string, make: () => ToolCall): Tracked => {
    const known = open.get(key);
    if (known) return known;
    const made: Tracked = { key, call: make(), heard: new Map(), shown: '', toldPaths: new Set(), isWatched: false };
    open.set(key, made);
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
  /** Tells hooks of the call once its input is known, and again if another input turns up when it is made. */
  const announce = (tracked: Tracked): void => {
    const { call, heard } = tracked;
    const event = callingEvent(call, root);
    const question = callKey(event, root);
    const isMade = call.status !== 'pending';
    const known = heard.get(question);
    if (known) known.isMade ||= isMade;
    if (known || (heard.size > 0 && !isMade)) return;
    const said = desk.tell(event, interrupted);
    const told: Heard = { event, said, isMade };
    heard.set(question, told);
    void said.then(decision => {
      const isRefused = decision && decision.kind !== 'proceed';
      if (isRefused && call.status === 'running') stopUnlessAsked(tracked, told, decision);
    });
  };
  /** A call that runs may still be asked about; those that are told together are asked about one by one. */
  const stopUnlessAsked = (tracked: Tracked, told: Heard, refusal: Refusal): void => {
    const begunIn = turn;
    const look = (): void => {
      if (turn !== begunIn || told.answer || !open.has(tracked.key)) return;
      const isAnothersTurn = desk.isBusy() || [...open.values()].some(other => other !== tracked && isAnswered(other));
      if (isAnothersTurn) setTimeout(look, questionMs);
      else void stop(told, refusal);
    };
    setTimeout(look, questionMs);
  };
  const stop = async (told: Heard, refusal: Refusal): Promise<void> => {
    if (told.isStopped) return;
    told.isStopped = true;
    await listener.calledAnyway(told.event, refusal);
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
  const tellFile = async (path: string, call?: Pick<HookEvent, 'tool' | 'toolCallId'>): Promise<void> => {
    await listener.tell(editedEvent(path, call));
    // Only now: a hook may have put the file in order.
    shellEdits.taken(path);
  };
  const settle = (tracked: Tracked): void => {
    const { call, heard, toldPaths, isWatched } = tracked;
    announce(tracked);
    const { event, answer } = heard.get(callKey(callingEvent(call, root), root))!;
    open.delete(tracked.key);
    past.add(tracked, turn);
    inOrder(async () => {
      const refused = await firstRefused(tracked);
      if (refused || (answer && answer.kind !== 'proceed')) {
        if (isWatched) await shellEdits.leave();
        return refused && stop(refused.told, refused.refusal);
      }
      // Before the hooks: what they write is not the agent's.
      const found = isWatched ? await shellEdits.end(listener) : [];
      await listener.tell(madeEvent(event, call));
      const named = call.status === 'completed' ? editedFiles(call, root) : [];
      const edited = new Set([...named.filter(path => !toldPaths.has(path)), ...found]);
      for (const path of edited) await tellFile(path, event);
    });
  };
  const about = (path: string): ToolCall | undefined =>
    [...open.values()].find(({ call }) => editedFiles(call, root).includes(path))?.call;

  return {
    take(update, from) {
      const id = idOf(recordOf(update)['toolCallId']);
      const key = keyOf(id, from);
      const news = open.has(key) ? undefined : past.news(key, id, update, turn);
      if (news === 'old') return;
      const tracked = track(key, () => news ?? past.newCall(id));
      learn(tracked, update);
      const { status } = tracked.call;
      if (!hooksTell && isInputKnown(tracked.call)) announce(tracked);
      if (status === 'completed' || status === 'failed') settle(tracked);
    },
    async ask(toolCall, interrupted, from) {
      const id = idOf(recordOf(toolCall)['toolCallId']);
      const tracked = track(keyOf(id, from), () => past.newCall(id));
      learn(tracked, toolCall);
      const event = callingEvent(tracked.call, root);
      const question = callKey(event, root);
      const told: Heard = tracked.heard.get(question) ?? { event, isMade: false };
      tracked.heard.set(question, told);
      if (told.answer) return told.answer;
      const writes = shownWrites(tracked.call, root);
      const asked = desk.ask(event, interrupted, told.said);
      told.said ??= asked;
      const decision = await asked;
      told.answer = decision ?? cancelled;
      if (decision?.kind === 'proceed') told.mayWrite = writes;
      // The agent still waits: what hooks wrote meanwhile is not its work.
      if (tracked.isWatched && decision?.kind === 'proceed')
        await unlessCancelled(
          queue.add(() => shellEdits.anew()),
          interrupted,
        );
      return decision;
    },
    mayWrite: (path, content) =>
      [...open.values()].some(({ heard }) =>
        [...heard.values()].some(({ mayWrite }) => mayWrite?.get(path) === content),
      ),
    about,
    tellEdited(path) {
      const call = about(path);
      for (const { toldPaths } of open.values()) toldPaths.add(path);
      return queue.add(() => tellFile(path, call && { tool: toolName(call), toolCallId: call.id }));
    },
    begin(signal) {
      interrupted = signal;
      return queue.add(() => shellEdits.anew());
    },
    close() {
      for (const tracked of [...open.values()]) {
        const { call } = tracked;
        const hasBegun = call.status === 'running' || isAllowed(tracked);
        call.status = 'failed';
        call.rawOutput ??= toolOutput(call) ?? unheardEnd;
        show(tracked);
        if (hasBegun) settle(tracked);
        else {
          open.delete(tracked.key);
          if (tracked.isWatched) inOrder(() => shellEdits.leave());
        }
      }
      past.endTurn();
      turn += 1;
    },
  };
}

/** Sub-agents number their calls as they like. */
const keyOf = (id: string, from: string | undefined): string => (from === undefined ? id : `${from}\n${id}`);

const cancelled: Decision = { kind: 'block', reason: 'the turn was cancelled', by: 'hookloop' };
