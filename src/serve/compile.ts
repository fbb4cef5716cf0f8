import { loadHooks } from '../discovery/load.ts';
import { createLook, type Fingerprint } from '../discovery/look.ts';
import type { DialectName } from '../model/index.ts';
import { writePlan } from '../plan/cache.ts';
import type { Plan, PlanRequest } from '../plan/plan.ts';
import { pinHooks } from '../trust/pins.ts';

export interface Compiled {
  plan: Plan;
  seen: ReadonlyMap<string, Fingerprint>;
  /** It may be kept: it has no errors, and nothing that went into it was changing. */
  isLasting: boolean;
}

/** Reads and checks all hook files, also for programs that find the plan on disk. Loaded when a plan is missing: a process that holds much is slow to start others. */
export function compilePlan(request: PlanRequest): Compiled {
  const { cwd, env, only } = request;
  const startedAt = Date.now();
  const look = createLook();
  const loaded = loadHooks({ cwd, env, look, ...(only !== undefined && { only: only as DialectName }) });
  const { contents: _contents, ...pins } = pinHooks({ ...loaded, look });
  const plan = { ...loaded, pins };
  const isSound = !plan.problems.some(({ severity }) => severity === 'error');
  if (isSound) writePlan(request, plan, look.seen, startedAt);
  const isLasting = isSound && ![...look.seen.values()].some(fingerprint => isFresh(fingerprint, startedAt));
  return { plan, seen: new Map(look.seen), isLasting };
}

/** Times of files move in steps of a few milliseconds: what changed just now may change again without showing it. */
const clockStepMs = 50;

const isFresh = (fingerprint: Fingerprint, startedAt: number): boolean =>
  Array.isArray(fingerprint) && Math.max(fingerprint[3], fingerprint[4]) > startedAt - clockStepMs;
