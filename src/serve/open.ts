import { join } from 'node:path';
import { build, version } from '../platform/build.ts';
import { makePrivateFolder } from '../platform/files.ts';
import { stateFlaw, stateFolder } from '../platform/folders.ts';
import { ownIdentity } from '../platform/processes.ts';
import { removeAddress, type ServeAddress, writeAddress } from './address.ts';
import { callbackPort, joinApprovals } from './approvals.ts';
import { httpEntry, keepHttpEntry } from './http-entry.ts';
import type { AnswerCall, ServedAnswer, ServedCall } from './ports.ts';
import { ownProgram } from './program.ts';
import { takeSeat } from './seat.ts';
import { createServers } from './servers.ts';
import { createShow } from './show.ts';
import type { Header } from './thin/header.ts';
import { newMark, newToken } from './tokens.ts';
import { tryAgain } from './try-again.ts';
import { createWork } from './work.ts';

export interface ServeOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** The only one to take; absent: the last one that was asked for, at first 8764, or any where that is taken, until it is free. */
  port?: number;
  /** 0 is never. */
  idleMs: number;
  /** How long running requests may take once serve has to end. */
  graceMs?: number;
  /** The file that was started. */
  program: string;
  answer: AnswerCall;
}

export type Ending = 'idle' | 'replaced' | 'stopped';

export type Opened =
  | { kind: 'open'; address: ServeAddress; ended: Promise<Ending>; stop(): void }
  | { kind: 'busy'; pid?: number; url?: string }
  | { kind: 'failed'; reason: string };

const usualGraceMs = 10_000;

/** The one serve of a user: host hooks over HTTP, the thin client, callbacks. Contract: never rejects. */
export async function openServe(options: ServeOptions): Promise<Opened> {
  const state = stateFolder(options.env);
  if (state === undefined) return { kind: 'failed', reason: 'HOME is not set, so there is no place for serve.json' };
  const flaw = stateFlaw(options.env);
  if (flaw !== undefined) return { kind: 'failed', reason: flaw };
  try {
    makePrivateFolder(join(state, 'serve'));
    const seat = await takeSeat(state, build);
    if (seat.kind === 'busy') return seat;
    const opened = await open(options, state, seat.release);
    if (opened.kind !== 'open') await seat.release();
    return opened;
  } catch (error) {
    return { kind: 'failed', reason: (error as Error).message };
  }
}

async function open(options: ServeOptions, state: string, release: () => Promise<void>): Promise<Opened> {
  const { env, idleMs, port, graceMs = usualGraceMs } = options;
  const program = ownProgram(options.program);
  const entry = httpEntry(state);
  const secrets = { token: newToken(), hookToken: entry.token, thinToken: newToken(), proof: newMark() };
  let end = (_why: Ending): void => {};
  const ended = new Promise<Ending>(resolve => {
    end = resolve;
  });
  let address: ServeAddress | undefined;
  let isLeaving = false;
  let giveUp = (): void => {};
  const work = createWork(idleMs, () => void leave('idle'));
  const servers = createServers({
    ...secrets,
    env,
    declines({ words, program: theirs }: Header) {
      // Other commands talk to people while they run.
      if (isLeaving || words[0] !== 'hook') return true;
      if (program.isStartedBy(theirs) && !program.isReplaced()) return false;
      void leave('replaced');
      return true;
    },
    answer,
    show: createShow({ env, token: secrets.token, callbackPort }, work),
    async answerHttp(call) {
      const answered = await answer(call);
      // There is nobody to fall back to, so the old one answers once more.
      if (program.isReplaced()) void leave('replaced');
      return answered;
    },
  });
  const leaveApprovals = await joinApprovals(env);
  const places = await servers.listen(port === undefined ? [entry.port, 0] : [port]);
  if (places.kind === 'failed') {
    await work.finish(0);
    await leaveApprovals();
    return places;
  }
  const { port: taken, socket, thinPort } = places.at;
  address = {
    url: `http://127.0.0.1:${taken}`,
    socket,
    ...ownIdentity(),
    ...{ version, build, token: secrets.token, thin: `${thinPort} ${secrets.thinToken} ${secrets.proof}` },
  };
  if (port) keepHttpEntry(state, { ...entry, port });
  writeAddress(state, address);
  if (port === undefined && taken !== entry.port) giveUp = tryAgain(takeKeptPort);
  return { kind: 'open', address, ended, stop: () => void leave('stopped') };

  function answer(call: ServedCall): Promise<ServedAnswer | undefined> {
    return work.take(call.gone, async () => {
      const answered = await options.answer(call);
      return call.gone.signal.aborted ? undefined : answered;
    });
  }

  /** Hook files of agents name it, and may by now name the one we have. Who knows the other port is answered there all the same. */
  async function takeKeptPort(): Promise<boolean> {
    const kept = httpEntry(state).port;
    if (kept === taken) return true;
    if (!(await servers.listenAlso(kept))) return false;
    if (!isLeaving) writeAddress(state, { ...address!, url: `http://127.0.0.1:${kept}` });
    return true;
  }

  /** The address goes first: whoever reads it finds somebody who listens. */
  async function leave(why: Ending): Promise<void> {
    if (isLeaving) return;
    isLeaving = true;
    giveUp();
    if (address) removeAddress(state, address);
    const closed = servers.close();
    await work.finish(graceMs);
    await closed();
    await leaveApprovals();
    await release();
    end(why);
  }
}
