import { limitOf } from '../../actions/process/limit.ts';
import { fieldsOf } from '../../model/json.ts';
import { unlessCancelled } from '../../platform/cancel.ts';
import type { LiveConversation } from './conversation.ts';
import type { AgentProcess } from './process.ts';
import {
  type AgentTraits,
  type ClientConnection,
  createMessageStream,
  describeError,
  idOf,
  isClosed,
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

type Answer<T> =
  | { kind: 'answered'; value: T }
  | { kind: 'error'; reason: string; error: unknown }
  | { kind: 'late' | 'cancelled'; reason: string }
  | { kind: 'gone'; reason: string; exitCode: number | null };

/** Waits for an answer as long as there can be one. `signal` aborted: no one wants it any more. */
export async function answerInTime<T>(
  request: Promise<T>,
  child: AgentProcess,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Answer<T>> {
  const limit = limitOf({ timeoutMs, signal });
  const gone = child.gone.then((end): Answer<T> => ({ kind: 'gone', ...end }));
  const answered = request.then(
    (value): Answer<T> => ({ kind: 'answered', value }),
    // A connection breaks a moment before the end of the process is known, and that end says more.
    (error: unknown) => (isClosed(error) ? gone : { kind: 'error' as const, reason: describeError(error), error }),
  );
  const answer = await unlessCancelled(Promise.race([answered, gone]), limit.signal);
  limit.clear();
  if (answer) return answer;
  return limit.cutOff()?.kind === 'timed-out'
    ? { kind: 'late', reason: `no answer within ${timeoutMs / 1000} s` }
    : { kind: 'cancelled', reason: 'it was cancelled' };
}
