import { setTimeout as delay } from 'node:timers/promises';
import { createDeadline } from '../../actions/process/limit.ts';
import { type AgentStart, addTokens, type Conversation, type Tokens, type Turn } from '../../model/agent.ts';
import { fieldsOf } from '../../model/json.ts';
import { joinSignals, onCancel } from '../../platform/cancel.ts';
import { limitedBy } from '../limits/limit.ts';
import { createCalls, type Written } from './calls.ts';
import { createCompactions } from './compaction.ts';
import { answerPermission } from './permissions.ts';
import type { AgentProcess } from './process.ts';
import {
  type AgentTraits,
  type ClientConnection,
  type Deadlines,
  describeAnswer,
  describeError,
  idOf,
  isClosed,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from './protocol.ts';
import { isSignedOut, withSignIn } from './signed-out.ts';
import { createSilence, silentFor } from './silence.ts';
import type { Write } from './tool-events.ts';
import { tokensIn, usageIn } from './usage.ts';

/** An agent that is running, as its conversations need it. */
export interface AcpAgent {
  start: AgentStart;
  traits: AgentTraits;
  deadlines: Deadlines;
  child: AgentProcess;
  connection: ClientConnection;
  /** How long nothing may come in a turn while nothing is pending; null: for ever. */
  silenceMs: number | null;
}

export type LiveConversation = ReturnType<typeof createConversation>;

type Ending =
  | { kind: 'answered'; answer: unknown }
  | { kind: 'error'; error: unknown }
  | { kind: 'silent' }
  /** Some agents answer once more while they are being ended: what they say then is no end of a turn. */
  | { kind: 'dying' };

/**
 * A conversation and what the agent sends in it. Of one that is `resumed`, what comes before the first prompt is a replay
 * of the past. `onPrompt` is called before each prompt.
 */
export function createConversation(
  { start, traits, deadlines, child, connection, silenceMs }: AcpAgent,
  id: string,
  { resumed, onPrompt }: { resumed: boolean; onPrompt(): void },
) {
  const { listener } = start;
  const calls = createCalls(start.cwd, listener, traits);
  // An agent whose own hooks call the session tells by them, where someone wants to know.
  const compactions = createCompactions(event => (traits.hooksTell ? undefined : calls.tell(event)));
  let isMuted = resumed;
  const silence = createSilence(silenceMs, () => calls.isPending());
  let words = createWords();
  let hasOwnError = false;
  /** Tokens that were told while the turn was running: qwen's way, with each request to its model. */
  let streamed: Tokens | undefined;
  let isInTurn = false;

  /** Settles with the agent's answer, or with the reason why there will be none. */
  const send = (texts: readonly string[], signal: AbortSignal, interrupt: () => void): Promise<Ending> =>
    new Promise(resolve => {
      let deadline: { clear(): void } | undefined;
      const ignoreCancel = onCancel(signal, () => {
        interrupt();
        connection.agent.notify('session/cancel', { sessionId: id }).catch(ignore);
        deadline = createDeadline(deadlines.cancelMs, () => end({ kind: 'silent' }));
      });
      const end = (ending: Ending): void => {
        deadline?.clear();
        ignoreCancel();
        resolve(ending);
      };
      connection.agent
        .request('session/prompt', { sessionId: id, prompt: texts.map(text => ({ type: 'text', text })) })
        .then(
          (answer: unknown) => end(child.isAlive() ? { kind: 'answered', answer } : { kind: 'dying' }),
          (error: unknown) => end({ kind: 'error', error }),
        );
    });

  const toTurn = async (ending: Ending, signal: AbortSignal): Promise<Turn> => {
    if (ending.kind === 'silent') await child.stop();
    if (signal.aborted) return { kind: 'cancelled' };
    const text = words.text();
    if (silence.isOver()) return { kind: 'limited', limit: 'overload', reason: silentFor(silenceMs ?? 0) };
    if (ending.kind === 'answered' && hasOwnError) return failed(text || 'the agent reported an error');
    if (ending.kind === 'answered') return endOf(ending.answer, text, streamed);
    const error = ending.kind === 'error' ? ending.error : new Error('it was stopped');
    if (ending.kind === 'dying' || connection.signal.aborted)
      return { kind: 'failed', reason: await describeDeath(child, error), agentDied: true };
    return failed(describeError(error), error);
  };
  const failed = (reason: string, error?: unknown): Turn => {
    const limited = limitedBy({ text: reason, error }, traits.limits, start.env['TZ']);
    if (limited) return limited;
    return {
      ...{ kind: 'failed', reason: withSignIn(reason, traits.signIn), agentDied: false },
      ...(isSignedOut(reason) && { signedOut: true }),
    };
  };

  const conversation: Conversation = {
    id,
    async prompt(texts, { signal }) {
      onPrompt();
      if (signal.aborted) return { kind: 'cancelled' };
      if (isInTurn) return notEnded('another prompt is still being answered');
      const interruption = new AbortController();
      const interrupt = (): void => interruption.abort();
      isInTurn = true;
      await calls.begin(interruption.signal);
      if (signal.aborted) {
        isInTurn = false;
        return { kind: 'cancelled' };
      }
      connection.signal.addEventListener('abort', interrupt, { once: true });
      isMuted = false;
      words = createWords();
      hasOwnError = false;
      streamed = undefined;
      const given = joinSignals(signal);
      silence.begin(given.abort);
      const ending = await send(texts, given.signal, interrupt);
      silence.end();
      given.clear();
      // What the agent wrote together with its answer is read one step later.
      await new Promise(resolve => setImmediate(resolve));
      await calls.close();
      connection.signal.removeEventListener('abort', interrupt);
      isInTurn = false;
      return toTurn(ending, signal);
    },
  };
  return {
    conversation,
    isInTurn: (): boolean => isInTurn,
    /** Resolves once the agent has said nothing for a while, or no one wants to wait for that any more. */
    async replayed(signal: AbortSignal): Promise<void> {
      const endMs = performance.now() + maxReplayMs;
      const isOver = (): boolean =>
        signal.aborted || performance.now() >= Math.min(silence.heardMs() + betweenReplayedMs, endMs);
      while (!isOver()) await delay(stepMs);
    },
    update(update: unknown): void {
      silence.heard();
      if (isMuted) return;
      const { sessionUpdate: kind, content, messageId, _meta } = fieldsOf(update);
      const { text } = fieldsOf(content);
      hasOwnError = ownError(update) ?? hasOwnError;
      const used = tokensIn(_meta);
      if (used) streamed = addTokens(streamed, used);
      if (isToolCall(update)) {
        words.pause();
        calls.take(update);
      } else if (kind === 'agent_message_chunk' && typeof text === 'string') {
        words.take(text, messageId);
        listener.show({ kind: 'message', text });
      } else if (kind === 'agent_thought_chunk' && typeof text === 'string') listener.show({ kind: 'thought', text });
      else if (compactions.take(update)) return;
      else if (kind === 'usage_update') listener.show({ kind: 'usage', usage: usageIn(update) });
      else if (!quietUpdates.has(idOf(kind)))
        listener.show({ kind: 'log', text: `${idOf(kind ?? 'update')}: ${JSON.stringify(update).slice(0, 500)}` });
    },
    /** A tool call of a sub-agent, which has a conversation of its own. */
    updateOf(subAgent: string, update: unknown): void {
      silence.heard();
      if (!isMuted && isToolCall(update)) calls.take(update, subAgent);
    },
    async permission(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
      silence.heard();
      const { sessionId, toolCall, options: offered } = request;
      const from = sessionId === id ? undefined : sessionId;
      return answerPermission(offered, isInTurn ? await calls.ask(toolCall, from) : undefined);
    },
    async write(request: Write): Promise<Written> {
      silence.heard();
      return isInTurn ? calls.write(request) : { kind: 'refused', reason: 'no turn is running' };
    },
  };
}

function isToolCall(update: unknown): boolean {
  const { sessionUpdate: kind } = fieldsOf(update);
  return kind === 'tool_call' || kind === 'tool_call_update';
}

/** How a turn ended, if the agent has said so: what no one understands must not count as work that is done. */
function endOf(answer: unknown, text: string, streamed: Tokens | undefined): Turn {
  const { stopReason } = fieldsOf(answer);
  if (typeof stopReason !== 'string')
    return notEnded(`the agent answered session/prompt without a stop reason: ${describeAnswer(answer)}`);
  if (!stopReasons.has(stopReason))
    return notEnded(`the agent ended its turn with an unknown stop reason: ${describeAnswer(stopReason)}`);
  const tokens = tokensIn(answer) ?? streamed;
  return { kind: 'ended', text, stopReason, ...(tokens && { tokens }) };
}

const notEnded = (reason: string): Turn => ({ kind: 'failed', reason, agentDied: false });

const stopReasons = new Set<string>(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled']);

const maxWords = 1024 * 1024;

/** What the agent has said in a turn. Messages with something between them become paragraphs. */
export function createWords() {
  let text = '';
  let lastId: unknown;
  let isPaused = false;
  return {
    take(chunk: string, messageId: unknown): void {
      if (chunk === '') return;
      const isNew = text !== '' && (isPaused || messageId !== lastId);
      text += isNew ? `\n\n${chunk}` : chunk;
      if (text.length > 2 * maxWords) text = text.slice(-maxWords);
      lastId = messageId;
      isPaused = false;
    },
    /** The message is over, whatever comes next. */
    pause(): void {
      isPaused = true;
    },
    text: (): string => text.slice(-maxWords).trim(),
  };
}

/** Codex ends a turn whose model cannot be reached as if all were well, and says otherwise only here. */
function ownError(update: unknown): boolean | undefined {
  const { type } = fieldsOf(fieldsOf(fieldsOf(fieldsOf(update)['_meta'])['codex'])['threadStatus']);
  return type === undefined ? undefined : type === 'systemError';
}

/** Of no interest to anyone, or the echo of what we sent. */
const quietUpdates = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'plan',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
]);

/** So long nothing must come before a replay counts as over. A busy machine makes pauses in it. */
const betweenReplayedMs = 500;
const maxReplayMs = 15_000;
const stepMs = 20;

/** The connection is gone; so is the process, or it is of no use any more. */
async function describeDeath(child: AgentProcess, error: unknown): Promise<string> {
  const gone = await Promise.race([child.gone, delay(endingMs)]);
  await child.stop();
  if (gone) return `the agent's process is gone: ${gone.reason}`;
  const why = isClosed(error) ? 'it closed its output' : describeError(error);
  return `the connection to the agent is lost: ${why}`;
}

/** How long after its last word a process may still need to end. */
const endingMs = 1000;

function ignore(): void {}
