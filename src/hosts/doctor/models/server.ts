import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the model does when it is asked: it says something, calls tools, fails, or keeps the agent waiting. */
export interface ScriptedTurn {
  text?: string;
  tools?: readonly ToolUse[];
  /** Answers with an error that is not worth another try. */
  fails?: true;
  /** Sends nothing until the agent hangs up. */
  hold?: true;
}

/** `namespace`: where the wire names the server of a tool apart from the tool. */
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

export interface ModelServer {
  url: string;
  /** What follows is answered with these turns, one a request; then with `done`. Forgets what was recorded. */
  script(turns: readonly ScriptedTurn[]): void;
  /** The requests since the last `script`. */
  requests: readonly ModelRequest[];
  /** The conversation as each turn's request had it, in order. */
  heard(): readonly string[];
  close(): Promise<void>;
}

export type Body = Readonly<Record<string, unknown>>;

/** One way to speak with a model over HTTP. */
export interface ModelWire {
  /** The answer to requests that are for no model: lists, counts. */
  plainAnswer(path: string, body: Body): unknown;
  isForModel(path: string): boolean;
  /** Carries tools and is no question of the agent's own. */
  isTurn(body: Body): boolean;
  conversationOf(body: Body): unknown;
  answer(turn: ScriptedTurn, request: { body: Body; path: string; number: number }, response: ServerResponse): void;
}

const aside: ScriptedTurn = { text: 'A title' };
const done: ScriptedTurn = { text: 'done' };

/** Plays a model on loopback, in this process. Contract: rejects where no one may listen there. */
export async function startModel(wire: ModelWire): Promise<ModelServer> {
  let turns: ScriptedTurn[] = [];
  const requests: ModelRequest[] = [];
  let count = 0;
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?')[0]!;
    const body = await bodyOf(request);
    if (!wire.isForModel(path)) return sendJson(response, wire.plainAnswer(path, body));
    const isTurn = wire.isTurn(body);
    requests.push({ path, isTurn, heard: JSON.stringify(wire.conversationOf(body)) });
    const turn = isTurn ? (turns.shift() ?? done) : aside;
    count += 1;
    if (turn.fails) return sendJson(response, { error: { message: 'the model is out of order' } }, 400);
    if (!turn.hold) wire.answer(turn, { body, path, number: count }, response);
  };
  const server = createServer((request, response) => {
    // Agents that are ended hang up in the middle of a request.
    reply(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    script(next) {
      turns = [...next];
      requests.length = 0;
    },
    requests,
    heard: () => requests.filter(({ isTurn }) => isTurn).map(({ heard }) => heard),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Agents send questions of their own in the conversation's shape, with tools: for suggestions and for memories. */
export const isOwnQuestion = (lastMessage: unknown): boolean =>
  /\[SUGGESTION MODE|Managed memory has /.test(JSON.stringify(lastMessage ?? '').slice(0, 300));

/** What a tool gets on a wire that knows no free form. */
export const inputOf = (tool: ToolUse): unknown => ('args' in tool ? tool.args : { input: tool.freeform });

export const listIn = (body: Body, field: string): readonly unknown[] => {
  const value = body[field];
  return Array.isArray(value) ? value : [];
};

export function sendJson(response: ServerResponse, value: unknown, status = value === undefined ? 404 : 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value ?? { error: { message: 'there is no such route' } }));
}

/** Server-sent events: a name where the wire has names. */
export function sendEvents(response: ServerResponse, events: readonly { name?: string; data: unknown }[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { name, data } of events) {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`);
  }
  response.end();
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {};
  }
}
