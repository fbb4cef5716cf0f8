import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Fields, fieldsOf, jsonOf } from '../../model/json.ts';

/** What the model does when it is asked: it says something, calls tools, fails, or keeps the agent waiting. */
export interface ScriptedTurn {
  text?: string;
  tools?: readonly ToolUse[];
  /** Answers with an error that is not worth another try. */
  fails?: true;
  /** Answers with this, as a provider would that lets no one in for now. */
  answers?: HttpAnswer;
  /** Sends nothing until the agent hangs up. */
  hold?: true;
}

export interface HttpAnswer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: object;
}

/** `namespace`: where the protocol names the server of a tool apart from the tool. */
export type ToolUse =
  | { name: string; namespace?: string; args: Readonly<Record<string, unknown>> }
  | { name: string; freeform: string };

/** One request of an agent. */
interface ModelRequest {
  path: string;
  /** Part of the conversation, not one of the agent's own questions beside it. */
  isTurn: boolean;
  /** All of the conversation that the model gets to see. */
  heard: string;
}

export type Body = Fields;

/** One way to speak with a model over HTTP. */
export interface ModelProtocol {
  /** Requests that are for a model. */
  path: RegExp;
  /** What others are answered, by how their path ends: lists, counts. */
  plain: Readonly<Record<string, object>>;
  /** The field that holds the conversation. */
  conversation: string;
  /** Whether a request is for the conversation, not a question of the agent's own. */
  isTurn(body: Body): boolean;
  answer(turn: ScriptedTurn, request: { body: Body; number: number }): ProtocolAnswer;
}

/** At once, and as server-sent events, with names where the protocol has names. */
export interface ProtocolAnswer {
  whole: object;
  events: readonly { name?: string; data: unknown }[];
}

const aside: ScriptedTurn = { text: 'A title' };
const done: ScriptedTurn = { text: 'done' };

export type ModelServer = Awaited<ReturnType<typeof startModel>>;

/**
 * Plays a model on loopback, in this process. `beside`: what it says to questions that are no part of the conversation.
 * Contract: rejects where no one may listen there.
 */
export async function startModel(
  protocol: ModelProtocol,
  beside: (heard: string) => ScriptedTurn | undefined = () => undefined,
) {
  let turns: ScriptedTurn[] = [];
  const requests: ModelRequest[] = [];
  let number = 0;
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?')[0]!;
    const body = fieldsOf(jsonOf(await text(request)));
    if (!protocol.path.test(path)) {
      const plain = Object.entries(protocol.plain).find(([end]) => path.endsWith(end))?.[1];
      return plain ? sendJson(response, 200, plain) : sendJson(response, 404, failure('there is no such route'));
    }
    const heard = JSON.stringify(body[protocol.conversation]);
    const answer = beside(heard);
    const isTurn = answer === undefined && protocol.isTurn(body);
    requests.push({ path, isTurn, heard });
    const turn = answer ?? (isTurn ? (turns.shift() ?? done) : aside);
    number += 1;
    if (turn.fails) return sendJson(response, 400, failure('the model is out of order'));
    if (turn.answers) return sendJson(response, turn.answers.status, turn.answers.body, turn.answers.headers);
    if (turn.hold) return;
    const { whole, events } = protocol.answer(turn, { body, number });
    if (body['stream'] !== true && !path.includes(':stream')) return sendJson(response, 200, whole);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.end(events.map(eventText).join(''));
  };
  const server = createServer((request, response) => {
    // Agents that are ended hang up in the middle of a request.
    reply(request, response).catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What follows is answered with these turns, one a request; then with `done`. Forgets what was recorded. */
    script(next: readonly ScriptedTurn[]): void {
      turns = [...next];
      requests.length = 0;
    },
    /** The requests since the last `script`. */
    requests: requests as readonly ModelRequest[],
    /** The conversation as each turn's request had it, in order. */
    heard: (): readonly string[] => requests.filter(({ isTurn }) => isTurn).map(({ heard }) => heard),
    async close(): Promise<void> {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}

const failure = (message: string): object => ({ error: { message } });

function sendJson(
  response: ServerResponse,
  status: number,
  value: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

const eventText = ({ name, data }: ProtocolAnswer['events'][number]): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
