import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { HostAnswer } from '../app/answer-host.ts';
import { serveCallbacks } from '../app/approvals.ts';
import {
  httpEntry,
  keepHttpEntry,
  newMark,
  newToken,
  removeAddress,
  type ServeAddress,
  writeAddress,
} from '../app/serve-address.ts';
import type { Router } from '../people/http/router.ts';
import { build, version } from '../platform/build.ts';
import { makePrivateFolder } from '../platform/files.ts';
import { stateFlaw, stateFolder } from '../platform/folders.ts';
import { ownIdentity } from '../platform/processes.ts';
import { type Caller, createAnswers } from './answer-calls.ts';
import { createWork, type Work } from './running-requests.ts';
import { createServers } from './servers.ts';
import { becomeSingle } from './single.ts';

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
    const single = await becomeSingle(state, build);
    if (single.kind === 'busy') return single;
    const opened = await open(options, state, single.release);
    if (opened.kind !== 'open') await single.release();
    return opened;
  } catch (error) {
    return { kind: 'failed', reason: (error as Error).message };
  }
}

async function open(options: ServeOptions, state: string, release: () => Promise<void>): Promise<Opened> {
  const { env, idleMs, port, graceMs = usualGraceMs } = options;
  const program = ownProgram(options.program);
  const entry = httpEntry(state);
  const [token, thinToken, proof] = [newToken(), newToken(), newMark()];
  const leaving = createLeaving();
  const answers = createAnswers(env, state, options.program);
  const work = createWork(idleMs, () => leaving.begin('idle'));
  const hook = counted(work, answers.hook);
  // Over HTTP there is no one to fall back to, so one that was replaced answers once more.
  const leaveIfReplaced = (): void => {
    if (program.isReplaced()) leaving.begin('replaced');
  };
  let dashboard: Promise<Router> | undefined;
  const servers = createServers({
    ...{ env, token, hookToken: entry.token },
    answers: {
      hook: andThen(leaveIfReplaced, hook),
      dispatch: andThen(leaveIfReplaced, counted(work, answers.dispatch)),
    },
    dashboard() {
      // Loaded when someone looks: a process that holds much is slow to start others.
      dashboard ??= import('./dashboard/routes.ts').then(({ createDashboard }) =>
        createDashboard({ env, token, work }),
      );
      return dashboard;
    },
    thin: {
      ...{ token: thinToken, proof, answer: hook },
      declines(theirs) {
        if (leaving.signal.aborted) return true;
        if (program.isStartedBy(theirs) && !program.isReplaced()) return false;
        leaving.begin('replaced');
        return true;
      },
    },
  });
  const leaveApprovals = await serveCallbacks(env);
  const listening = await servers.listen(port === undefined ? [entry.port, 0] : [port]);
  if (listening.kind === 'failed') {
    await work.finish(0);
    await leaveApprovals();
    return listening;
  }
  const { port: taken, socket, thinPort } = listening.at;
  const address: ServeAddress = {
    url: `http://127.0.0.1:${taken}`,
    socket,
    ...ownIdentity(),
    ...{ version, build, token, thin: `${thinPort} ${thinToken} ${proof}` },
  };
  const ended = leaving.why.then(async why => {
    // The address goes first: whoever reads it finds someone who listens.
    removeAddress(state, address);
    const closed = servers.close();
    await work.finish(graceMs);
    await closed();
    await leaveApprovals();
    await release();
    return why;
  });
  if (port) keepHttpEntry(state, { ...entry, port });
  writeAddress(state, address);
  // Hook files of agents name the kept port, which may by now be the one we have. Whoever knows the other is still answered there.
  const takeKeptPort = async (): Promise<boolean> => {
    const kept = httpEntry(state).port;
    if (kept === taken) return true;
    if (!(await servers.listenAlso(kept))) return false;
    if (!leaving.signal.aborted) writeAddress(state, { ...address, url: `http://127.0.0.1:${kept}` });
    return true;
  };
  if (port === undefined && taken !== entry.port) void tryAgain(takeKeptPort, leaving.signal);
  return { kind: 'open', address, ended, stop: () => leaving.begin('stopped') };
}

/** That serve has to end, and why: the first reason counts. */
function createLeaving(): { begin(why: Ending): void; signal: AbortSignal; why: Promise<Ending> } {
  const controller = new AbortController();
  const { signal } = controller;
  const why = new Promise<Ending>(resolve => {
    signal.addEventListener('abort', () => resolve(signal.reason));
  });
  return { begin: because => controller.abort(because), signal, why };
}

/** Counts as work; undefined where it was cut short. */
const counted =
  <Call>(work: Work, answer: (call: Call, caller: Caller) => Promise<HostAnswer>) =>
  (call: Call, caller: Caller): Promise<HostAnswer | undefined> =>
    work.take(caller.gone, async () => {
      const answered = await answer(call, caller);
      return caller.gone.signal.aborted ? undefined : answered;
    });

const andThen =
  <Asked extends unknown[], Answered>(then: () => void, answer: (...asked: Asked) => Promise<Answered>) =>
  async (...asked: Asked): Promise<Answered> => {
    const answered = await answer(...asked);
    then();
    return answered;
  };

/** The program that runs here, and whether it is still the one on the disk. */
interface OwnProgram {
  path: string;
  /** An upgrade has put another one in its place. */
  isReplaced(): boolean;
  /** Whether a launcher that starts `program` would start this one. */
  isStartedBy(program: string): boolean;
}

function ownProgram(path: string): OwnProgram {
  const real = realpathSync(path);
  const mark = (): string => {
    const { dev, ino, size, mtimeMs, ctimeMs, mode } = statSync(real, { throwIfNoEntry: false }) ?? {};
    return [dev, ino, size, mtimeMs, ctimeMs, mode].join(' ');
  };
  const atStart = mark();
  return {
    path: real,
    isReplaced: () => mark() !== atStart,
    isStartedBy(program) {
      try {
        return program === real || realpathSync(program) === real;
      } catch {
        return false;
      }
    },
  };
}

const againMs = 250;

/** Tries until it works or the signal is aborted, for as long as the process has something else to live for. */
async function tryAgain(works: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  do await delay(againMs, undefined, { ref: false, signal }).catch(() => {});
  while (!signal.aborted && !(await works().catch(() => false)));
}
