import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { AgentListener } from '../../model/agent.ts';
import type { Decision, HookEvent, Refusal } from '../../model/index.ts';
import { unheardEnd } from '../../model/tool-call.ts';
import { unlessCancelled } from '../../platform/cancel.ts';
import { createShellEdits } from '../changes.ts';
import { clockStepMs } from '../listing.ts';
import {
  createKnownCalls,
  firstRefused,
  isAllowed,
  isAnswered,
  type KnownCall,
  type Question,
  questionOf,
} from './known-calls.ts';
import { createPermissions } from './permissions.ts';
import type { AgentTraits } from './protocol.ts';
import { patch, type ToolCall, toolOutput } from './tool-call.ts';
import {
  callTitle,
  editedEvent,
  editedFiles,
  insideRoot,
  isInputKnown,
  isShellCall,
  madeEvent,
  shownWrites,
  toolName,
  type Write,
  writeEvent,
} from './tool-events.ts';

export type Written = { kind: 'written' } | { kind: 'refused'; reason: string };

/** How long an agent that says it runs a call may take to ask about it after all. */
const questionMs = 1000;

/** So much later than an agent writes it, on a busy machine, do we read what it does. */
const maxUnheardMs = 1000;

export type Calls = ReturnType<typeof createCalls>;

/**
 * The tool calls of one conversation: announced, asked about, allowed or refused, ended. What the agent reports of them
 * becomes events, each once.
 */
export function createCalls(root: string, listener: AgentListener, { hooksTell, mcpAsExecute }: AgentTraits) {
  const permissions = createPermissions(listener);
  const calls = createKnownCalls(root, mcpAsExecute);
  const shellEdits = createShellEdits(root, listener, () => interrupted);
  let interrupted = AbortSignal.abort();

  const learn = (known: KnownCall, update: unknown): void => {
    patch(known.call, update);
    show(known);
    if (known.isWatched || !isShellCall(known.call)) return;
    known.isWatched = true;
    const nowMs = Date.now();
    // A command that no one is asked about may have run before we hear of it. What hooks wrote until then is not its work.
    const sinceMs = Math.min(nowMs, Math.max(nowMs - maxUnheardMs, permissions.quietSince() + clockStepMs));
    inOrder(() => shellEdits.begin(sinceMs));
  };
  const show = (known: KnownCall): void => {
    const { id, status } = known.call;
    const title = callTitle(known.call, root);
    if (known.shown === `${status} ${title}`) return;
    known.shown = `${status} ${title}`;
    listener.show({ kind: 'tool', id, title, status });
  };
  const inOrder = (work: () => Promise<void> | void): void => {
    permissions
      .inOrder(async () => work())
      .catch((error: unknown) => listener.show({ kind: 'log', text: String(error) }));
  };
  /** Tells hooks of the call once its input is known, and again if another input turns up when it is made. */
  const announce = (known: KnownCall): void => {
    const { call, questions } = known;
    const { key, event, asked } = questionOf(known, root);
    const isMade = call.status !== 'pending';
    if (asked) asked.isMade ||= isMade;
    if (asked || (questions.size > 0 && !isMade)) return;
    const said = permissions.tell(event, interrupted);
    const question: Question = { event, said, isMade };
    questions.set(key, question);
    void said.then(decision => {
      const isRefused = decision && decision.kind !== 'proceed';
      if (isRefused && call.status === 'running') stopUnlessAsked(known, question, decision);
    });
  };
  /** A call that runs may still be asked about; those that are told together are asked about one by one. */
  const stopUnlessAsked = (known: KnownCall, question: Question, refusal: Refusal): void => {
    const look = (): void => {
      if (question.answer || !calls.isOpen(known)) return;
      const isAnothersTurn = permissions.isBusy() || calls.open().some(other => other !== known && isAnswered(other));
      if (isAnothersTurn) setTimeout(look, questionMs);
      else void stop(question, refusal);
    };
    setTimeout(look, questionMs);
  };
  const stop = async (question: Question, refusal: Refusal): Promise<void> => {
    if (question.isStopped) return;
    question.isStopped = true;
    await listener.calledAnyway(question.event, refusal);
  };
  const settle = (known: KnownCall): void => {
    const { call, toldPaths, isWatched } = known;
    announce(known);
    const { event, answer } = questionOf(known, root).asked!;
    calls.end(known);
    inOrder(async () => {
      const refused = await firstRefused(known);
      if (refused || (answer && answer.kind !== 'proceed')) {
        if (isWatched) shellEdits.leave();
        return refused && stop(refused.question, refused.refusal);
      }
      // Before the hooks: what they write is not the agent's.
      const found = isWatched ? await shellEdits.end() : [];
      await listener.tell(madeEvent(event, call, root));
      const named = call.status === 'completed' ? editedFiles(call, root) : [];
      const edited = new Set([...named.filter(path => !toldPaths.has(path)), ...found]);
      for (const path of edited) await tellFile(path, event);
    });
  };
  const tellFile = async (path: string, call?: Pick<HookEvent, 'tool' | 'toolCallId'>): Promise<void> => {
    await listener.tell(editedEvent(path, call));
    // Only now: a hook may have put the file in order.
    shellEdits.taken(path);
  };
  /** The open call that is about this file. */
  const about = (path: string): ToolCall | undefined =>
    calls.open().find(({ call }) => editedFiles(call, root).includes(path))?.call;
  /** Whether an open call was allowed to write this into the file. */
  const mayWrite = (path: string, content: string): boolean =>
    calls.open().some(({ questions }) => [...questions.values()].some(each => each.mayWrite?.get(path) === content));

  return {
    /** A `tool_call` or `tool_call_update`; `from` names the sub-agent that it is of. */
    take(update: unknown, from?: string): void {
      const known = calls.told(update, from);
      if (!known) return;
      learn(known, update);
      const { status } = known.call;
      if (!hooksTell && isInputKnown(known.call)) announce(known);
      if (status === 'completed' || status === 'failed') settle(known);
    },
    /** Something that is no call has happened. */
    tell: (event: Parameters<AgentListener['tell']>[0]): void => inOrder(() => listener.tell(event)),
    /** The agent waits for leave to make a call; undefined: interrupted before there was an answer. */
    async ask(toolCall: unknown, from?: string): Promise<Decision | undefined> {
      const signal = interrupted;
      const known = calls.asked(toolCall, from);
      learn(known, toolCall);
      const { key, event, asked } = questionOf(known, root);
      const question: Question = asked ?? { event, isMade: false };
      known.questions.set(key, question);
      if (question.answer) return question.answer;
      const writes = shownWrites(known.call, root);
      const asking = permissions.ask(event, signal, question.said);
      question.said ??= asking;
      const decision = await asking;
      question.answer = decision ?? cancelled;
      if (decision?.kind !== 'proceed') return decision;
      question.mayWrite = writes;
      // The agent still waits: what hooks wrote meanwhile is not its work.
      if (known.isWatched)
        await unlessCancelled(
          permissions.inOrder(() => shellEdits.anew()),
          signal,
        );
      return decision;
    },
    /**
     * Serves `fs/write_text_file`, for some agents the only way they write. What a call that was allowed has shown is not
     * asked about again; anything else is, as it is written. Contract: never rejects.
     */
    async write(request: Write): Promise<Written> {
      const signal = interrupted;
      const file = insideRoot(root, request.path);
      if (!mayWrite(file, request.content)) {
        const decision = await permissions.ask(writeEvent(request, about(file), root), signal);
        const refusal = decision ?? cancelled;
        if (refusal.kind !== 'proceed') return { kind: 'refused', reason: refusal.reason };
      }
      const written = await writeText(request, root);
      if (written.kind === 'refused') return written;
      const call = about(file);
      for (const { toldPaths } of calls.open()) toldPaths.add(file);
      const told = permissions.inOrder(() => tellFile(file, call && { tool: toolName(call), toolCallId: call.id }));
      await unlessCancelled(told, signal);
      return written;
    },
    /** Whether a tool, a hook or a question may keep the agent from saying anything. A call that was refused does not. */
    isPending: (): boolean =>
      permissions.isWorking() || calls.open().some(known => !isAnswered(known) || isAllowed(known)),
    /** A turn begins, until it ends or is interrupted: what is there now is not the agent's work. */
    begin(signal: AbortSignal): Promise<void> {
      interrupted = signal;
      return permissions.inOrder(() => shellEdits.anew());
    },
    /** The turn has ended: calls without a result get none any more. Resolves once all that was told has been taken. */
    close(): Promise<void> {
      for (const known of calls.open()) {
        const { call } = known;
        const hasBegun = call.status === 'running' || isAllowed(known);
        call.status = 'failed';
        call.rawOutput ??= toolOutput(call) ?? unheardEnd;
        show(known);
        if (hasBegun) settle(known);
        else {
          calls.forget(known);
          if (known.isWatched) inOrder(() => shellEdits.leave());
        }
      }
      calls.endTurn();
      return permissions.idle();
    },
  };
}

const cancelled: Decision = { kind: 'block', reason: 'the turn was cancelled', by: 'hookloop' };

/** Contract: never rejects. */
async function writeText({ path, content }: Write, root: string): Promise<Written> {
  try {
    await mkdir(dirname(resolve(root, path)), { recursive: true });
    await writeFile(resolve(root, path), content);
    return { kind: 'written' };
  } catch (error) {
    return { kind: 'refused', reason: (error as Error).message };
  }
}
