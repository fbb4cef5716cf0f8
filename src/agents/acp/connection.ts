import { limitOf } from '../../actions/process/limit.ts';
import type { AgentStarted } from '../../model/agent.ts';
import { fieldsOf } from '../../model/json.ts';
import { unlessCancelled } from '../../platform/cancel.ts';
import type { LiveConversation } from './conversation.ts';
import type { AgentProcess } from './process.ts';
import {
  type AgentCapabilities,
  type AgentTraits,
  type ClientConnection,
  createMessageStream,
  describeAnswer,
  describeError,
  idOf,
  isClosed,
  isText,
  loadSdk,
} from './protocol.ts';

/** Speaks ACP with a process. What it sends finds its conversation by id; `onLog` gets what is no message. */
export async function connect(
  child: AgentProcess,
  conversations: ReadonlyMap<string, LiveConversation>,
  { onLog, writesItself }: Pick<AgentTraits, 'writesItself'> & { onLog(line: string): void },
): Promise<ClientConnection> {
  const acp = await loadSdk();
  const stream = createMessageStream(child, {
    update(params) {
      const { sessionId, update } = fieldsOf(params);
      const id = idOf(sessionId);
      const own = conversations.get(id);
      if (own) own.update(update);
      else conversationOf(id)?.updateOf(id, update);
    },
    noise: onLog,
  });
  // An agent's sub-agents may work in conversations of their own.
  const conversationOf = (id: string): LiveConversation | undefined => {
    const all = [...conversations.values()];
    return conversations.get(id) ?? all.find(conversation => conversation.isInTurn()) ?? all.at(-1);
  };
  const connection = acp
    .client({ name: 'hookloop' })
    .onRequest(
      acp.methods.client.session.requestPermission,
      async ({ params }) =>
        (await conversationOf(params.sessionId)?.permission(params)) ?? { outcome: { outcome: 'cancelled' } },
    )
    .onRequest(acp.methods.client.fs.writeTextFile, async ({ params }) => {
      // opencode asks even those who have said that they do not write, and goes on whatever they answer.
      if (writesItself) throw acp.RequestError.methodNotFound(acp.methods.client.fs.writeTextFile);
      const written = (await conversationOf(params.sessionId)?.write(params)) ?? noConversation;
      if (written.kind === 'refused') throw new acp.RequestError(internalError, written.reason);
      return {};
    })
    .connect(stream);
  void child.gone.then(() => connection.close());
  return connection;
}

const internalError = -32_603;
const noConversation = { kind: 'refused', reason: 'no turn is running' } as const;

export type Initialised =
  | { kind: 'ready'; capabilities: AgentCapabilities; signIn: string | undefined }
  | Exclude<AgentStarted, { kind: 'started' }>;

/** Contract: never rejects; an agent that hangs or dies has failed. */
export async function initialise(
  connection: ClientConnection,
  child: AgentProcess,
  { startMs, signal, writesItself = false }: Patience & Pick<AgentTraits, 'writesItself'>,
): Promise<Initialised> {
  const request = connection.agent.request('initialize', {
    protocolVersion: 1,
    clientInfo: { name: 'hookloop', version: '1' },
    // A read of a missing file would have to fail, and then Gemini cannot make new files.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: !writesItself }, terminal: false },
  });
  const answer = await answerInTime<unknown>(request, child, { startMs, signal });
  if (answer.kind === 'late') return failed(`it did not answer within ${startMs / 1000} s of its start`);
  if (answer.kind === 'gone' && isMissing(answer.exitCode))
    return {
      kind: 'unavailable',
      reason: `the agent's program cannot be run: ${answer.reason}`,
      hint: 'check the command after acp:, and that its program is installed',
    };
  if (answer.kind !== 'answered') return failed(answer.reason);
  const { protocolVersion, agentCapabilities, authMethods } = fieldsOf(answer.value);
  if (protocolVersion === undefined)
    return failed(`it answered initialize without a protocol version: ${describeAnswer(answer.value)}`);
  if (protocolVersion !== 1)
    return failed(`it speaks version ${describeAnswer(protocolVersion)} of the protocol, not version 1`);
  return { kind: 'ready', capabilities: fieldsOf(agentCapabilities), signIn: signInWith(authMethods) };
}

const failed = (reason: string): Initialised => ({ kind: 'failed', reason: `the agent did not start: ${reason}` });

/** What a shell says of a program that is not there or may not be run. */
const isMissing = (exitCode: number | null): boolean => exitCode === 127 || exitCode === 126;

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

export type Answer<T> =
  | { kind: 'answered'; value: T }
  | { kind: 'error' | 'late' | 'cancelled'; reason: string }
  | { kind: 'gone'; reason: string; exitCode: number | null };

export interface Patience {
  startMs: number;
  /** Aborted: no one wants the answer any more. */
  signal: AbortSignal;
}

/** Waits for an answer as long as there can be one. */
export async function answerInTime<T>(
  request: Promise<T>,
  child: AgentProcess,
  { startMs, signal }: Patience,
): Promise<Answer<T>> {
  const limit = limitOf({ timeoutMs: startMs, signal });
  const gone = child.gone.then((end): Answer<T> => ({ kind: 'gone', ...end }));
  const answered = request.then(
    (value): Answer<T> => ({ kind: 'answered', value }),
    // A connection breaks a moment before the end of the process is known, and that end says more.
    (error: unknown) => (isClosed(error) ? gone : { kind: 'error' as const, reason: describeError(error) }),
  );
  const answer = await unlessCancelled(Promise.race([answered, gone]), limit.signal);
  limit.clear();
  if (answer) return answer;
  return limit.cutOff()?.kind === 'timed-out'
    ? { kind: 'late', reason: `no answer within ${startMs / 1000} s` }
    : { kind: 'cancelled', reason: 'it was cancelled' };
}
