import type { Fingerprint } from '../hooks/discovery/look.ts';
import type { Plan, PlanRequest } from '../hooks/plan/cache.ts';
import { compileAndShow } from '../hooks/plan/compile.ts';

export interface Compiled {
  plan: Plan;
  seen: ReadonlyMap<string, Fingerprint>;
  /** It may be kept: it has no errors, and nothing that went into it was changing. */
  isLasting: boolean;
}

/** Loaded when a plan is missing: a process that holds much is slow to start others. */
export function compilePlan(request: PlanRequest): Compiled {
  const { plan, seen, startedAt, isSound } = compileAndShow(request);
  const isLasting = isSound && ![...seen.values()].some(fingerprint => isFresh(fingerprint, startedAt));
  return { plan, seen, isLasting };
}

/** Times of files move in steps of a few milliseconds: what changed just now may change again without showing it. */
const clockStepMs = 50;

const isFresh = (fingerprint: Fingerprint, startedAt: number): boolean =>
  Array.isArray(fingerprint) && Math.max(fingerprint[3], fingerprint[4]) > startedAt - clockStepMs;
