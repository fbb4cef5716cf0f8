import type { AgentStart, Conversation, Conversed } from '../../model/agent.ts';
import type { AgentProcess } from './child.ts';
import { createConversation, type LiveConversation } from './conversation.ts';
import { type Answer, answerInTime, type Deadlines } from './initialise.ts';
import type { AgentCapabilities, ClientConnection, McpServer } from './sdk.ts';
import { recordOf } from './tool-call.ts';
import { describeAnswer, withSignIn } from './words.ts';

export interface OpenRequest {
  resume: string | undefined;
  /** Aborted: nobody wants it any more. */
  signal: AbortSignal;
  capabilities: AgentCapabilities;
  deadlines: Deadlines;
  meta: Readonly<Record<string, unknown>> | undefined;
  hooksTell: boolean | undefined;
  mcpAsExecute: boolean | undefined;
  signIn: string | undefined;
}

export interface Line {
  connection: ClientConnection;
  child: AgentProcess;
  conversations: Map<string, LiveConversation>;
}

/** A fresh conversation, or an earlier one where the agent can take it up. Contract: never rejects. */
export async function openConversation(
  { resume, signal, capabilities, deadlines, meta, hooksTell, mcpAsExecute, signIn }: OpenRequest,
  { cwd, listener, mcpServers }: AgentStart,
  { connection, child, conversations }: Line,
): Promise<Conversed> {
  const place = { cwd, mcpServers: mcpServers.map(toMcpServer), ...(meta && { _meta: meta }) };
  const open = (id: string, resumed: boolean): Conversed => {
    const parts = {
      id,
      root: cwd,
      listener,
      connection,
      child,
      resumed,
      cancelMs: deadlines.cancelMs,
      hooksTell,
      mcpAsExecute,
      signIn,
    };
    const live = createConversation(parts);
    const { prompt } = live.conversation;
    const conversation: Conversation = {
      id,
      prompt(texts, options) {
        keep(conversations, id, live);
        return prompt(texts, options);
      },
    };
    keep(conversations, id, { ...live, conversation });
    return { kind: 'open', conversation, resumed };
  };
  const { startMs } = deadlines;
  const ask = <T>(request: Promise<T>): Promise<Answer<T>> => answerInTime(request, child, { startMs, signal });

  if (resume !== undefined) {
    const known = conversations.get(resume);
    if (known) return { kind: 'open', conversation: known.conversation, resumed: true };
    for (const method of resumeMethods(capabilities)) {
      // Listed before it is there: what is replayed of it must not be taken for the work of a sub-agent.
      const conversed = open(resume, true);
      const answer = await ask(connection.agent.request(method, { sessionId: resume, ...place }));
      if (answer.kind === 'answered') {
        // What is replayed belongs to the past, and the last of it may come long after the answer.
        if (method === 'session/load') await conversations.get(resume)?.silence(signal);
        return signal.aborted ? failed(givenUp) : conversed;
      }
      conversations.delete(resume);
      if (answer.kind !== 'error') return failed(whyNot(answer, startMs));
      listener.show({ kind: 'log', text: `conversation ${resume} is not taken up again: ${answer.reason}` });
    }
  }
  const answer = await ask<unknown>(connection.agent.request('session/new', place));
  if (answer.kind !== 'answered') return failed(withSignIn(whyNot(answer, startMs), signIn));
  const { sessionId } = recordOf(answer.value);
  if (typeof sessionId === 'string' && sessionId !== '') return open(sessionId, false);
  return failed(`the agent answered session/new without a session id: ${describeAnswer(answer.value)}`);
}

const maxKept = 50;

/** An agent that lives for thousands of iterations must not grow with them; who has long been silent is listened to again when prompted. */
function keep(conversations: Map<string, LiveConversation>, id: string, live: LiveConversation): void {
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

function whyNot(answer: Exclude<Answer<unknown>, { kind: 'answered' }>, startMs: number): string {
  switch (answer.kind) {
    case 'error':
      return answer.reason;
    case 'late':
      return `no answer within ${startMs / 1000} s`;
    case 'cancelled':
      return givenUp;
    case 'gone':
      return answer.gone.reason;
  }
}

const givenUp = 'it was cancelled';

const failed = (why: string): Conversed => ({ kind: 'failed', reason: `no conversation could be opened: ${why}` });
