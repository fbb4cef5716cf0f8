import { type ControlReply, type ControlRequest, checkRequest } from '../../model/control.ts';
import { isObject } from '../../model/json.ts';

/** One JSON object a line: `{"id","request","from"?}` one way, `{"id","reply"}` the other. */
export const maxRequestBytes = 1024 * 1024;

/** A list of tasks may be long. */
export const maxReplyBytes = 64 * 1024 * 1024;

export type RequestId = string | number;

export type ReadRequest =
  | { kind: 'request'; id: RequestId; request: ControlRequest; from?: string }
  | { kind: 'refused'; id: RequestId; reason: string }
  /** No answer could be matched: whoever sends this speaks something else. */
  | { kind: 'hopeless'; reason: string };

export function readRequest(line: Buffer): ReadRequest {
  const message = parse(line);
  if (!isObject(message)) return { kind: 'hopeless', reason: 'a request is one JSON object in UTF-8 a line' };
  const { id, request, from, ...rest } = message;
  if (!isRequestId(id)) return { kind: 'hopeless', reason: 'a request has an id, a text or a whole number' };
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) return { kind: 'refused', id, reason: `unknown field ${JSON.stringify(unknown)}` };
  if (from !== undefined && typeof from !== 'string') return { kind: 'refused', id, reason: 'from is a text' };
  const checked = checkRequest(request);
  return checked.kind === 'good'
    ? { kind: 'request', id, request: checked.request, ...(from !== undefined && { from }) }
    : { kind: 'refused', id, reason: checked.reason };
}

export const writeRequest = (id: RequestId, request: ControlRequest, from?: string): string =>
  `${JSON.stringify({ id, request, from })}\n`;

/** The reply to one request; null answers a line that had no id. */
export function readReply(line: Buffer, id: RequestId): ControlReply | undefined {
  const message = parse(line);
  if (!isObject(message) || (message['id'] !== id && message['id'] !== null)) return undefined;
  const { reply } = message;
  if (!isObject(reply)) return undefined;
  if (reply['kind'] === 'ok') return { kind: 'ok', value: reply['value'] };
  return reply['kind'] === 'refused' && typeof reply['reason'] === 'string'
    ? { kind: 'refused', reason: reply['reason'] }
    : undefined;
}

export const writeReply = (id: RequestId | null, reply: ControlReply): string => `${JSON.stringify({ id, reply })}\n`;

const isRequestId = (id: unknown): id is RequestId =>
  Number.isSafeInteger(id) || (typeof id === 'string' && id.length > 0 && id.length <= 128);

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(line));
  } catch {
    return undefined;
  }
}

export interface LineTaker {
  line(bytes: Buffer): void;
  /** Told once; nothing follows. */
  tooLong(): void;
}

const newline = 0x0a;

/** Cuts a stream into lines and keeps at most one of them in memory. */
export function createLineReader(maxBytes: number, taker: LineTaker): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let isOver = false;
  const keep = (part: Buffer): boolean => {
    size += part.length;
    if (size > maxBytes) {
      [parts, isOver] = [[], true];
      taker.tooLong();
      return false;
    }
    parts.push(part);
    return true;
  };
  return chunk => {
    let rest = chunk;
    while (!isOver) {
      const end = rest.indexOf(newline);
      if (!keep(end === -1 ? rest : rest.subarray(0, end)) || end === -1) return;
      const line = Buffer.concat(parts);
      [parts, size] = [[], 0];
      rest = rest.subarray(end + 1);
      taker.line(line);
    }
  };
}
