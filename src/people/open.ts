import { reasonOf } from '../platform/files.ts';
import { approvalsFolder, type Question } from '../session/questions/questions.ts';
import { userSecret } from '../session/questions/secret.ts';
import { pruneApprovals, readSettlement, recordSettlement } from '../session/questions/settlement.ts';
import { type Clock, expire, systemClock, waitForAnswer } from '../session/questions/wait.ts';
import { type Asker, ask } from './ask.ts';
import type { Approvals, AskRequest, OpenQuestion } from './port.ts';
import { checkedBaseUrl, markSent, publish } from './publish.ts';
import { joinServer, type ServerSeat } from './server/share.ts';

export interface ApprovalsOptions {
  env: Readonly<Record<string, string | undefined>>;
  session: string;
  sessionFolder: string;
  /** The project; files are relative to it. */
  root: string;
  mask?: (text: string) => string;
  /** A question waits for a person, told once it can be answered. */
  onRequest?: (question: Question) => void;
  clock?: Clock;
}

export function createApprovals(options: ApprovalsOptions): Approvals {
  const seats: ServerSeat[] = [];
  return {
    open: request => open(request, options, seats).catch(error => ({ kind: 'failed', reason: reasonOf(error) })),
    async close() {
      await Promise.all(seats.splice(0).map(seat => (seat.kind === 'seated' ? seat.release() : undefined)));
    },
  };
}

/** The order is the promise: the question is on disk, its URL listens, then anybody is told. */
async function open(request: AskRequest, options: ApprovalsOptions, seats: ServerSeat[]): Promise<OpenQuestion> {
  const { env, session, sessionFolder, root, mask = same, onRequest, clock = systemClock } = options;
  const folder = approvalsFolder(env);
  if (folder === undefined) throw new Error('HOME is not set, so there is no place to keep the question');
  const baseUrl = request.baseUrl === undefined ? undefined : checkedBaseUrl(request.baseUrl);
  const asker: Asker = { folder, secret: userSecret(folder), session, sessionFolder, root, mask, clock };
  pruneApprovals(folder, clock.now());
  const { question: asked, isAskedAgain } = ask({ ...request, ...(baseUrl !== undefined && { baseUrl }) }, asker);
  const { id } = asked;
  const remainingMs = leftOf(asked, request.deadlineMs, clock);
  if (remainingMs === 0) expire(folder, id, clock);
  const isSettled = readSettlement(folder, id) !== undefined;
  const seat = await joinServer(folder, asked.port);
  if (seat.kind === 'seated') seats.push(seat);
  else if (!isSettled) {
    withdraw(folder, id, seat.reason, clock);
    throw new Error(seat.reason);
  }
  const port = seat.kind === 'seated' ? seat.port : asked.port;
  const { question, url, isChanged } = publish(asked, { folder, secret: asker.secret, port, baseUrl });
  if (!isSettled) onRequest?.(question);
  return {
    kind: 'open',
    id,
    callbackUrl: url,
    urlChanged: isAskedAgain && isChanged,
    isSettled,
    ...markSent(folder, question, url),
    wait: signal => waitForAnswer({ folder, question, remainingMs, clock, signal }),
    close: async reason => withdraw(folder, id, reason, clock),
  };
}

const same = (text: string): string => text;

/** After a restart the clock on the wall is all there is; it may have been set back, which gives no more than was given at first. */
function leftOf({ expires }: Question, deadlineMs: number | null, clock: Clock): number | null {
  if (expires === null) return null;
  const leftMs = Math.max(0, Date.parse(expires) - clock.now());
  return deadlineMs === null ? leftMs : Math.min(leftMs, deadlineMs);
}

/** An answer that came first stays. */
function withdraw(folder: string, id: string, reason: string, clock: Clock): void {
  try {
    recordSettlement(folder, id, { kind: 'withdrawn', at: new Date(clock.now()).toISOString(), reason });
  } catch {
    // An answer that comes now is read by nobody; it decides nothing.
  }
}
