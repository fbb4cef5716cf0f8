import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { goneText } from '../../model/gone.ts';
import { brokenPart } from '../../platform/build.ts';
import { onCancel } from '../../platform/cancel.ts';
import { limitOf } from '../process/limit.ts';
import type { Connecting, HttpReply } from './connection.ts';
import type { WebhookRequest } from './request.ts';

/** What became of one try. Without an answer, `refused` says that another one would end the same way. */
export type Try =
  | { kind: 'replied'; status: number; retryAfter?: string; body: ReplyBody }
  | { kind: 'broken' | 'refused'; reason: string };

/** The beginning of what a receiver answered. */
export interface ReplyBody {
  text: string;
  /** Read and decoded; `cut` says why there may have been more. */
  bytes: number;
  cut?: 'long' | 'broken';
}

export interface TryLimits {
  /** One try, from its connection to the answer's status. */
  tryMs: number;
  /** Reading what the receiver says beyond its status. */
  bodyMs: number;
}

export const noAnswer: Try = { kind: 'broken', reason: 'no answer in time' };

/** Sends a request once. Never rejects. */
export async function send(
  request: WebhookRequest,
  connecting: Connecting,
  { tryMs, bodyMs }: TryLimits,
  signal: AbortSignal,
): Promise<Try> {
  const limit = limitOf({ signal, timeoutMs: tryMs });
  try {
    const { openRequest } = await import('./connection.ts');
    const reply = await openRequest(request, connecting, limit.signal);
    return await readReply(reply, bodyMs, signal);
  } catch (error) {
    return limit.signal.aborted ? noAnswer : describeFailure(error);
  } finally {
    limit.clear();
  }
}

/** The status is there: a body that is slow or breaks off does not make the try a failed one. */
async function readReply(reply: HttpReply, timeoutMs: number, signal: AbortSignal): Promise<Try> {
  const { status, headers, body, close } = reply;
  const limit = limitOf({ signal, timeoutMs });
  const retryAfter = one(headers['retry-after']);
  try {
    const read = await readBody(body, one(headers['content-encoding']), limit.signal);
    return { kind: 'replied', status, body: read, ...(retryAfter !== undefined && { retryAfter }) };
  } finally {
    limit.clear();
    close();
  }
}

const one = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.[0];

const maxBytes = 64 * 1024;

/** Reads at most 64 KiB of the decoded body, until the signal is aborted: the status has said what matters. */
async function readBody(body: Readable, encoding: string | undefined, signal: AbortSignal): Promise<ReplyBody> {
  const decoded = decode(body, encoding);
  const stop = (): void => void body.destroy(new Error('not read to its end'));
  const ignoreCancel = onCancel(signal, stop);
  if (signal.aborted) stop();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let cut: ReplyBody['cut'];
  try {
    for await (const chunk of decoded as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, maxBytes - bytes));
      bytes = Math.min(maxBytes, bytes + chunk.length);
      if (bytes === maxBytes) {
        cut = 'long';
        break;
      }
    }
  } catch {
    cut = 'broken';
  } finally {
    ignoreCancel();
    body.destroy();
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return { text, bytes, ...(cut !== undefined && { cut }) };
}

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

function decode(body: Readable, encoding: string | undefined): Readable {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (!Object.hasOwn(decoders, name)) return body;
  // Whoever reads the decoder hears of errors on either side.
  return pipeline(body, decoders[name as keyof typeof decoders](), () => {});
}

/** In our own words: messages of errors may hold addresses and parts of URLs. */
function describeFailure(error: unknown): Try {
  const { code, name, message } = error as { code?: unknown; name?: unknown; message: string };
  if (name === 'ForbiddenAddress') return { kind: 'refused', reason: message };
  const word = typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : String(name);
  if (/CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO/.test(word))
    return { kind: 'refused', reason: `its certificate is not accepted (${word})` };
  if (word === 'UND_ERR_INVALID_ARG') return { kind: 'refused', reason: 'the request is not one that can be sent' };
  if (Object.hasOwn(words, word)) return { kind: 'broken', reason: words[word]! };
  const part = brokenPart(error);
  if (part !== undefined) return { kind: 'refused', reason: goneText(part) };
  return { kind: 'broken', reason: `the connection failed (${word})` };
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was broken',
  EPIPE: 'the connection was broken',
  UND_ERR_SOCKET: 'the connection was broken',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found (name server does not answer)',
  ENETUNREACH: 'network not reachable',
  EHOSTUNREACH: 'host not reachable',
  ETIMEDOUT: 'no connection',
  EMFILE: 'too many open files',
  UND_ERR_HEADERS_OVERFLOW: 'the head of its answer is too long',
};
