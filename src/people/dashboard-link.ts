import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { approvalsFolder, readQuestion } from '../session/questions/questions.ts';
import { hashToken, homeMarkOf, knownSecret, tokenOf } from '../session/questions/secret.ts';
import { proveOurs } from './challenge.ts';
import { dashboardCookie, isOneOf } from './http/access.ts';

/**
 * The address of a question's page on this machine, at a port where one of ours listens. Unlike `linkTo` it writes
 * nothing, so a question whose token it cannot make has none. For the user alone: whoever has it can answer. The page
 * leads back to the dashboard that asks for its address.
 */
export async function localPage(
  env: Readonly<Record<string, string | undefined>>,
  id: string,
  { otherPort, dashboardPort }: { otherPort: number; dashboardPort: number },
): Promise<string | undefined> {
  const folder = approvalsFolder(env);
  const question = folder === undefined ? undefined : readQuestion(folder, id);
  const secret = question && knownSecret(folder!);
  if (folder === undefined || !question || !secret) return undefined;
  const token = tokenOf(secret, id, question.nonce);
  if (!question.tokenHashes.includes(hashToken(token))) return undefined;
  for (const port of new Set([question.port, otherPort]))
    if (await proveOurs(folder, port))
      return `http://127.0.0.1:${port}/callback/${id}/${token}?${wayBackTo(secret, dashboardPort)}`;
  return undefined;
}

/** What the dashboard adds to the address of a page that it sends someone to. Only programs of the user can make it. */
export const wayBackTo = (secret: Buffer, port: number): string => `from=${port}.${homeMarkOf(secret, port)}`;

/** The dashboard that has sent this browser here, which still may see it; undefined for everybody else. Contract: never rejects. */
export async function wayBack({ headers, url = '' }: IncomingMessage, folder: string): Promise<string | undefined> {
  const [, given, mark = ''] = /[?&]from=(\d{1,5})\.([\w-]{43})(?![\w-])/.exec(url) ?? [];
  const port = Number(given);
  if (given === undefined || port > 65_535) return undefined;
  const mayLook = (headers.cookie ?? '').split(/; */).some(pair => pair.startsWith(`${dashboardCookie(port)}=`));
  return mayLook && isOurs(folder, port, mark) && (await isListening(port)) ? `http://127.0.0.1:${port}/` : undefined;
}

function isOurs(folder: string, port: number, mark: string): boolean {
  try {
    const secret = knownSecret(folder);
    return secret !== undefined && isOneOf(mark, [homeMarkOf(secret, port)]);
  } catch {
    return false;
  }
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
