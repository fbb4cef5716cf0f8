import { createMark, stopProcesses } from '../actions/process/stop.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import type { RunMark, SessionSettings } from '../model/record.ts';
import { ownIdentity } from '../platform/processes.ts';
import type { SessionFiles } from '../session/paths.ts';
import { fold } from '../session/state/state.ts';
import type { Held, NotHeld, SessionStart, SessionStore, StateRead } from '../session/store.ts';
import { createStopWish, type StopWish } from './stop-wish.ts';

/** A session that is ours, and the run of it that this process is. */
export interface OpenSession extends Omit<Held, 'kind' | 'files' | 'start'> {
  kind: 'open';
  store: SessionStore;
  paths: SessionFiles;
  plan: PipelinePlan;
  settings: SessionSettings;
  run: RunMark;
  stopWish: StopWish;
}

export type NotOpen = NotHeld | { kind: 'finished' };

/** Begins a session, which must be new. */
export async function beginSession(
  store: SessionStore,
  name: string,
  start: Omit<SessionStart, 'run'>,
): Promise<OpenSession | NotOpen> {
  const run = newRun(1);
  const held = await store.create(name, { ...start, run });
  return held.kind === 'held' ? open(store, held, run) : held;
}

/** Goes on with a session where its journal ends. What its last process has left running is ended first. */
export async function reopenSession(
  store: SessionStore,
  name: string,
  read?: StateRead,
): Promise<OpenSession | NotOpen> {
  const held = await store.hold(name, read);
  if (held.kind !== 'held') return held;
  const { state, journal } = held;
  if (state.closed?.status === 'completed') {
    await held.lease.release();
    return { kind: 'finished' };
  }
  for (const { mark } of state.runs) await stopProcesses({ mark }, graceMs);
  const run = newRun(state.runs.length + 1);
  const again = state.closed?.failedIn;
  try {
    fold(state, await journal.append({ kind: 'session.resumed', run, ...(again !== undefined && { again }) }));
  } catch (error) {
    await held.lease.release();
    return { kind: 'failed', reason: `the journal cannot be written: ${(error as Error).message}` };
  }
  return open(store, held, run);
}

const graceMs = 2000;

const newRun = (number: number): RunMark => ({ number, ...ownIdentity(), mark: createMark() });

const open = (store: SessionStore, { files, start, ...held }: Held, run: RunMark): OpenSession => ({
  ...held,
  kind: 'open',
  store,
  paths: files,
  ...start,
  run,
  stopWish: createStopWish(),
});
