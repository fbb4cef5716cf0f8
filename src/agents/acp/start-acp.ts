import type { AgentStart, AgentStarted, Conversed } from '../../model/agent.ts';
import { fieldsOf } from '../../model/json.ts';
import { joinSignals, onCancel } from '../../platform/cancel.ts';
import { limitedBy } from '../limits/limit.ts';
import { answerInTime, connect } from './connection.ts';
import { type AcpAgent, createConversation, type LiveConversation } from './conversation.ts';
import { type AgentProcess, startProcess } from './process.ts';
import {
  type AcpOptions,
  type AgentCapabilities,
  type ClientConnection,
  type Deadlines,
  describeAnswer,
  isText,
  type McpServer,
} from './protocol.ts';
import { isSignedOut, withSignIn } from './signed-out.ts';

const defaultSilenceMs = 15 * 60_000;
const defaultDeadlines: Deadlines = { startMs: 60_000, cancelMs: 5_000 };

export async function startAcp(options: AcpOptions, start: AgentStart): Promise<AgentStarted> {
  const { command, writesItself } = options;
  const { listener, cwd, signal } = start;
  const deadlines = { ...defaultDeadlines, ...options.deadlines };
  const conversations = new Map<string, LiveConversation>();
  const onLog = options.onLog ?? ((text: string) => listener.show({ kind: 'log', text }));
  let child: AgentProcess | undefined;
  let connection: ClientConnection;
  try {
    child = startProcess({ command, cwd, env: { ...options.env, ...start.env }, onLog });
    connection = await connect(child, conversations, { onLog, writesItself });
  } catch (error) {
    await child?.stop();
    return { kind: 'failed', reason: (error as Error).message };
  }
  const { stop, isAlive, gone } = child;
  if (signal.aborted) await stop();
  void gone.then(onCancel(signal, () => void stop()));
  const { silenceMs = defaultSilenceMs } = options;
  const agent: AcpAgent = { start, traits: options, deadlines, child, connection, silenceMs };
  const initialised = await initialise(agent);
  if (initialised.kind !== 'ready') {
    await stop();
    return initialised;
  }
  const { methods, signIn } = initialised;
  const signedIn = { ...agent, traits: { ...options, signIn: options.signIn ?? signIn } };
  return {
    kind: 'started',
    agent: {
      isAlive: () => isAlive() && !connection.signal.aborted,
      stop,
      async converse({ resume, signal: given = signal } = {}) {
        const either = joinSignals(signal, given);
        const past = resume === undefined ? undefined : { id: resume, methods };
        const conversed = await openConversation(signedIn, conversations, past, either.signal);
        either.clear();
        return conversed;
      },
    },
  };
}

type Initialised =
  | { kind: 'ready'; methods: readonly ResumeMethod[]; signIn: string | undefined }
  | Exclude<AgentStarted, { kind: 'started' }>;

/** Contract: never rejects; an agent that hangs or dies has failed. */
async function initialise({ start, traits, deadlines, child, connection }: AcpAgent): Promise<Initialised> {
  const { startMs } = deadlines;
  const request = connection.agent.request('initialize', {
    protocolVersion: 1,
    clientInfo: { name: 'hookloop', version: '1' },
    // A read of a missing file would have to fail, and then Gemini cannot make new files.
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: !traits.writesItself },
      terminal: false,
      session: { compaction: {} },
    },
  });
  const answer = await answerInTime<unknown>(request, child, startMs, start.signal);
  if (answer.kind === 'late') return notStarted(`it did not answer within ${startMs / 1000} s of its start`);
  if (answer.kind === 'gone' && isMissing(answer.exitCode))
    return {
      kind: 'unavailable',
      reason: `the agent's program cannot be run: ${answer.reason}`,
      hint: 'check the command after acp:, and that its program is installed',
    };
  if (answer.kind !== 'answered') return notStarted(answer.reason);
  const { protocolVersion, agentCapabilities, authMethods } = fieldsOf(answer.value);
  if (protocolVersion === undefined)
    return notStarted(`it answered initialize without a protocol version: ${describeAnswer(answer.value)}`);
  if (protocolVersion !== 1)
    return notStarted(`it speaks version ${describeAnswer(protocolVersion)} of the protocol, not version 1`);
  return { kind: 'ready', methods: resumeMethods(fieldsOf(agentCapabilities)), signIn: signInWith(authMethods) };
}

const notStarted = (reason: string): Initialised => ({ kind: 'failed', reason: `the agent did not start: ${reason}` });

/** What a shell says of a program that is not there or may not be run. */
const isMissing = (exitCode: number | null): boolean => exitCode === 127 || exitCode === 126;

type ResumeMethod = 'session/resume' | 'session/load';

/** `session/resume` replays nothing, so it comes first. */
const resumeMethods = ({ sessionCapabilities, loadSession }: AgentCapabilities): readonly ResumeMethod[] => [
  ...(sessionCapabilities?.resume ? (['session/resume'] as const) : []),
  ...(loadSession ? (['session/load'] as const) : []),
];

const maxSignIn = 1000;

/** The agent's own words for how one signs in. */
function signInWith(methods: unknown): string | undefined {
  const told = (Array.isArray(methods) ? methods : []).flatMap(method => {
    const { name, description } = fieldsOf(method);
    const words = [name, description].filter(word => isText(word) && word.trim() !== '');
    return words.length > 0 ? [words.join(': ')] : [];
  });
  return told.length > 0 ? told.join('; or ').slice(0, maxSignIn) : undefined;
}

/** A fresh conversation, or an earlier one where the agent has a method to resume it. Contract: never rejects. */
async function openConversation(
  agent: AcpAgent,
  conversations: Map<string, LiveConversation>,
  past: { id: string; methods: readonly ResumeMethod[] } | undefined,
  signal: AbortSignal,
): Promise<Conversed> {
  const { start, traits, deadlines, child, connection } = agent;
  const { cwd, listener, mcpServers } = start;
  const { meta, signIn } = traits;
  const context = { cwd, mcpServers: mcpServers.map(toMcpServer), ...(meta && { _meta: meta }) };
  const ask = <T>(request: Promise<T>) => answerInTime(request, child, deadlines.startMs, signal);
  const open = (id: string, resumed: boolean): LiveConversation => {
    const live = createConversation(agent, id, { resumed, onPrompt: () => keep(conversations, live) });
    keep(conversations, live);
    return live;
  };

  if (past) {
    const { id, methods } = past;
    const known = conversations.get(id);
    if (known) return { kind: 'open', conversation: known.conversation, resumed: true };
    for (const method of methods) {
      // Listed before it is there: what is replayed of it must not be taken for the work of a sub-agent.
      const { conversation, replayed } = open(id, true);
      const answer = await ask(connection.agent.request(method, { sessionId: id, ...context }));
      if (answer.kind === 'answered') {
        // What is replayed belongs to the past, and the last of it may come long after the answer.
        if (method === 'session/load') await replayed(signal);
        return signal.aborted ? failed('it was cancelled') : { kind: 'open', conversation, resumed: true };
      }
      conversations.delete(id);
      if (answer.kind !== 'error') return failed(answer.reason);
      listener.show({ kind: 'log', text: `conversation ${id} could not be continued: ${answer.reason}` });
    }
  }
  const answer = await ask<unknown>(connection.agent.request('session/new', context));
  if (answer.kind === 'error') {
    const { reason, error } = answer;
    const limited = limitedBy({ text: reason, error }, traits.limits, start.env['TZ']);
    if (limited) return limited;
    return { ...failed(withSignIn(reason, signIn)), ...(isSignedOut(reason) && { signedOut: true }) };
  }
  if (answer.kind !== 'answered') return failed(answer.reason);
  const { sessionId } = fieldsOf(answer.value);
  if (!isText(sessionId))
    return failed(`the agent answered session/new without a session id: ${describeAnswer(answer.value)}`);
  return { kind: 'open', conversation: open(sessionId, false).conversation, resumed: false };
}

const failed = (why: string): Extract<Conversed, { kind: 'failed' }> => ({
  kind: 'failed',
  reason: `no conversation could be opened: ${why}`,
});

const maxKept = 50;

/** An agent that lives for thousands of iterations must not grow with them; who has long been silent is listened to again when prompted. */
function keep(conversations: Map<string, LiveConversation>, live: LiveConversation): void {
  const { id } = live.conversation;
  conversations.delete(id);
  conversations.set(id, live);
  for (const [old, { isInTurn }] of conversations) {
    if (conversations.size <= maxKept) return;
    if (!isInTurn()) conversations.delete(old);
  }
}

const toMcpServer = ({ name, command, args, env }: AgentStart['mcpServers'][number]): McpServer => ({
  name,
  command,
  args: [...args],
  env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
});
