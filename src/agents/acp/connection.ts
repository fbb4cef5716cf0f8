import type { AgentProcess } from './child.ts';
import type { LiveConversation } from './conversation.ts';
import { type ClientConnection, loadSdk } from './sdk.ts';
import { createMessageStream } from './stream.ts';
import { idOf, recordOf } from './tool-call.ts';

/** Speaks ACP with a process. What it sends finds its conversation by id. */
export async function connect(
  child: AgentProcess,
  conversations: ReadonlyMap<string, LiveConversation>,
  { onLog, writesItself = false }: { onLog(line: string): void; writesItself?: boolean | undefined },
): Promise<ClientConnection> {
  const acp = await loadSdk();
  const stream = createMessageStream(child, {
    update(params) {
      const { sessionId, update } = recordOf(params);
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
