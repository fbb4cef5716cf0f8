import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { hashToken, homeMarkOf, tokenOf } from '../session/questions.ts';
import type { Questions } from '../session/store.ts';
import { proveOurs } from './challenge.ts';
import { dashboardCookie, isOneOf } from './http/access.ts';

/**
 * The address of a question's page on this machine, at a port where one of ours listens. Unlike `linkTo` it writes
 * nothing, so a question whose token it cannot make has none. For the user alone: whoever has it can answer. The page
 * leads back to the dashboard that asks for its address.
 */
export async function localPage(
  questions: Questions,
  id: string,
  { otherPort, dashboardPort }: { otherPort: number; dashboardPort: number },
): Promise<string | undefined> {
  const question = await questions.find(id);
  const secret = question && (await questions.knownSecret());
  if (!question || !secret) return undefined;
  const token = tokenOf(secret, id, question.nonce);
  if (!question.tokenHashes.includes(hashToken(token))) return undefined;
  for (const port of new Set([question.port, otherPort]))
    if (await proveOurs(questions, port))
      return `http://127.0.0.1:${port}/callback/${id}/${token}?${wayBackTo(secret, dashboardPort)}`;
  return undefined;
}

/** What the dashboard adds to the address of a page that it sends someone to. Only programs of the user can make it. */
export const wayBackTo = (secret: Buffer, port: number): string => `from=${port}.${homeMarkOf(secret, port)}`;

/** The dashboard that has sent this browser here, which still may see it; undefined for everybody else. Contract: never rejects. */
export async function wayBack(
  { headers, url = '' }: IncomingMessage,
  questions: Questions,
): Promise<string | undefined> {
  const [, given, mark = ''] = /[?&]from=(\d{1,5})\.([\w-]{43})(?![\w-])/.exec(url) ?? [];
  const port = Number(given);
  if (given === undefined || port > 65_535) return undefined;
  const mayLook = (headers.cookie ?? '').split(/; */).some(pair => pair.startsWith(`${dashboardCookie(port)}=`));
  const isShown = mayLook && (await isOurs(questions, port, mark)) && (await isListening(port));
  return isShown ? `http://127.0.0.1:${port}/` : undefined;
}

async function isOurs(questions: Questions, port: number, mark: string): Promise<boolean> {
  const secret = await questions.knownSecret().catch(() => undefined);
  return secret !== undefined && isOneOf(mark, [homeMarkOf(secret, port)]);
}

const patienceMs = 250;

/** No one is led to a page that is gone. */
function isListening(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port, signal: AbortSignal.timeout(patienceMs) });
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
