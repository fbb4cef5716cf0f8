import { lookup as resolve } from 'node:dns/promises';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { limitOf } from '../process/limit.ts';
import { addressFlaw, type Lookup, type Reach, type WebhookRequest } from './request.ts';

export interface Connecting {
  reach: Reach;
  lookup?: Lookup | undefined;
  /** A certificate to trust beside the usual ones, in PEM. */
  ca?: string | undefined;
}

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
    const reply = await openRequest(request, connecting, limit.signal);
    limit.clear();
    return await readReply(reply, bodyMs, signal);
  } catch (error) {
    return limit.signal.aborted ? noAnswer : describeFailure(error);
  } finally {
    limit.clear();
  }
}

/** The name of a host has an address that this hook may not send to. */
class ForbiddenAddress extends Error {}

/**
 * Sends one request on a connection of its own: one kept from before may be dead, or go where this hook may not. Redirects
 * are not followed. Rejects if there is no answer.
 */
function openRequest(
  { url, method, headers, body }: WebhookRequest,
  { reach, lookup = resolveAll, ca }: Connecting,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  // As bytes: a text would take the headers, which are bytes too, along into its own encoding.
  const content = Buffer.from(body ?? '');
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const options = {
    hostname,
    port: url.port,
    path: url.pathname + url.search,
    method,
    headers: { ...headers, ...(body !== null && { 'content-length': content.length }) },
    agent: false,
    signal,
    lookup: checked(lookup, address => addressFlaw(address, url.protocol, reach)),
    ...(isIP(hostname) === 0 && { servername: hostname.replace(/\.$/, '') }),
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
  };
  return new Promise((resolved, rejected) => {
    (url.protocol === 'https:' ? tlsRequest : plainRequest)(options)
      .on('response', resolved)
      .on('error', rejected)
      // Without an answer or an error where the receiver wants to speak another protocol.
      .on('close', () => rejected(Object.assign(new Error('no answer'), { code: 'ECONNRESET' })))
      .end(content);
  });
}

const resolveAll: Lookup = hostname => resolve(hostname, { all: true });

/**
 * A name is resolved once, all its addresses are checked, and one of just these is connected to: a name server cannot answer
 * differently in between. A host that is an address was looked at when the request was filled in.
 */
function checked(lookup: Lookup, flawOf: (address: string) => string | undefined): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname).then(
      addresses => {
        const flaw = addresses.map(({ address }) => flawOf(address)).find(found => found !== undefined);
        const [first] = addresses;
        if (flaw !== undefined) callback(new ForbiddenAddress(flaw), []);
        else if (first === undefined) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), []);
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      error => callback(error, []),
    );
  };
}

const maxBytes = 64 * 1024;

/**
 * Reads at most 64 KiB of the decoded body. The status is there, which says what matters: a body that is slow or breaks off
 * does not make the try a failed one.
 */
async function readReply(reply: IncomingMessage, timeoutMs: number, signal: AbortSignal): Promise<Try> {
  const { statusCode: status = 0, headers } = reply;
  const retryAfter = headers['retry-after'];
  const limit = limitOf({ signal, timeoutMs });
  const chunks: Buffer[] = [];
  let bytes = 0;
  let cut: ReplyBody['cut'];
  try {
    const body = decode(addAbortSignal(limit.signal, reply), headers['content-encoding']);
    for await (const chunk of body as AsyncIterable<Buffer>) {
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
    limit.clear();
    reply.destroy();
  }
  const body = { text: Buffer.concat(chunks).toString('utf8'), bytes, ...(cut !== undefined && { cut }) };
  return { kind: 'replied', status, body, ...(retryAfter !== undefined && { retryAfter }) };
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
  if (error instanceof ForbiddenAddress) return { kind: 'refused', reason: message };
  const word = typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : String(name);
  if (/CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO/.test(word))
    return { kind: 'refused', reason: `its certificate is not accepted (${word})` };
  if (/^ERR_(INVALID|UNESCAPED)/.test(word))
    return { kind: 'refused', reason: 'the request is not one that can be sent' };
  return { kind: 'broken', reason: words[word] ?? `the connection failed (${word})` };
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was broken',
  EPIPE: 'the connection was broken',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found (name server does not answer)',
  ENETUNREACH: 'network not reachable',
  EHOSTUNREACH: 'host not reachable',
  ETIMEDOUT: 'no connection',
  EMFILE: 'too many open files',
  HPE_HEADER_OVERFLOW: 'the head of its answer is too long',
};
