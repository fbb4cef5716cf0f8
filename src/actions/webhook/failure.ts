import { goneText } from '../../model/gone.ts';
import { brokenPart } from '../../platform/build.ts';
import { ForbiddenAddress } from './connect.ts';

/** Why a try had no answer. `refused`: another one would end the same way. */
export type SendFailure = { kind: 'broken' | 'refused'; reason: string };

/** In our own words: messages of errors may hold addresses and parts of URLs. */
export function describeFailure(error: unknown): SendFailure {
  if (error instanceof ForbiddenAddress) return { kind: 'refused', reason: error.message };
  const { code, name } = error as { code?: unknown; name?: unknown };
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
