import type { AgentStart, AgentStarted, Conversed } from '../../model/agent.ts';
import { fieldsOf } from '../../model/json.ts';
import { joinSignals, onCancel } from '../../platform/cancel.ts';
import { answerInTime, connect, initialise } from './connection.ts';
import { createConversation, type LiveConversation } from './conversation.ts';
import { type AgentProcess, startProcess } from './process.ts';
import {
  type AcpOptions,
  type AgentCapabilities,
  type AgentTraits,
  type ClientConnection,
  type Deadlines,
  describeAnswer,
  type McpServer,
  withSignIn,
} from './protocol.ts';

const defaultDeadlines: Deadlines = { startMs: 60_000, cancelMs: 5_000 };

export async function startAcp(options: AcpOptions, start: AgentStart): Promise<AgentStarted> {
  const { command, writesItself } = options;
  const { listener, cwd } = start;
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
  if (start.signal.aborted) await stop();
  const ignoreCancel = onCancel(start.signal, () => void stop());
  void gone.then(ignoreCancel);
  const patience = { startMs: deadlines.startMs, signal: start.signal };
  const initialised = await initialise(connection, child, { ...patience, writesItself });
  if (initialised.kind !== 'ready') {
    await stop();
    return initialised;
  }
  const { capabilities } = initialised;
  const traits = { ...options, signIn: options.signIn ?? initialised.signIn };
  const running = { start, traits, deadlines, capabilities, child, connection, conversations };
  return {
    kind: 'started',
    agent: {
      isAlive: () => isAlive() && !connection.signal.aborted,
      stop,
      async converse({ resume, signal = start.signal } = {}) {
        const given = joinSignals(start.signal, signal);
        const conversed = await openConversation(running, resume, given.signal);
        given.clear();
        return conversed;
      },
    },
  };
}

interface Running {
  start: AgentStart;
  traits: AgentTraits;
  deadlines: Deadlines;
  capabilities: AgentCapabilities;
  child: AgentProcess;
  connection: ClientConnection;
  conversations: Map<string, LiveConversation>;
}

/** A fresh conversation, or an earlier one where the agent can resume it. Contract: never rejects. */
async function openConversation(
  { start, traits, deadlines, capabilities, child, connection, conversations }: Running,
  resume: string | undefined,
  signal: AbortSignal,
): Promise<Conversed> {
  const { cwd, listener, mcpServers } = start;
  const { meta, signIn } = traits;
  const context = { cwd, mcpServers: mcpServers.map(toMcpServer), ...(meta && { _meta: meta }) };
  const ask = <T>(request: Promise<T>) => answerInTime(request, child, { startMs: deadlines.startMs, signal });
  const open = (id: string, resumed: boolean): LiveConversation => {
    const live = createConversation({
      ...traits,
      id,
      resumed,
      root: cwd,
      listener,
      connection,
      child,
      cancelMs: deadlines.cancelMs,
      onPrompt: () => keep(conversations, live),
    });
    keep(conversations, live);
    return live;
  };

  if (resume !== undefined) {
    const known = conversations.get(resume);
    if (known) return { kind: 'open', conversation: known.conversation, resumed: true };
    for (const method of resumeMethods(capabilities)) {
      // Listed before it is there: what is replayed of it must not be taken for the work of a sub-agent.
      const { conversation, silence } = open(resume, true);
      const answer = await ask(connection.agent.request(method, { sessionId: resume, ...context }));
      if (answer.kind === 'answered') {
        // What is replayed belongs to the past, and the last of it may come long after the answer.
        if (method === 'session/load') await silence(signal);
        return signal.aborted ? failed('it was cancelled') : { kind: 'open', conversation, resumed: true };
      }
      conversations.delete(resume);
      if (answer.kind !== 'error') return failed(answer.reason);
      listener.show({ kind: 'log', text: `conversation ${resume} is not taken up again: ${answer.reason}` });
    }
  }
  const answer = await ask<unknown>(connection.agent.request('session/new', context));
  if (answer.kind !== 'answered') return failed(withSignIn(answer.reason, signIn));
  const { sessionId } = fieldsOf(answer.value);
  if (typeof sessionId !== 'string' || sessionId === '')
    return failed(`the agent answered session/new without a session id: ${describeAnswer(answer.value)}`);
  return { kind: 'open', conversation: open(sessionId, false).conversation, resumed: false };
}

const failed = (why: string): Conversed => ({ kind: 'failed', reason: `no conversation could be opened: ${why}` });

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

/** `session/resume` replays nothing, so it comes first. */
const resumeMethods = ({ sessionCapabilities, loadSession }: AgentCapabilities) => [
  ...(sessionCapabilities?.resume ? (['session/resume'] as const) : []),
  ...(loadSession ? (['session/load'] as const) : []),
];

const toMcpServer = ({ name, command, args, env }: AgentStart['mcpServers'][number]): McpServer => ({
  name,
  command,
  args: [...args],
  env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
});
