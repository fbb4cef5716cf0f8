import { isCurrent, type KeptPlan, planKey, readPlan } from '../hooks/plan/plan-cache.ts';
import { type ClaimStore, fileClaims } from '../hosts/sessions/claims.ts';
import type { PlanSource } from './plan-source.ts';

/** Folders of one user that agents work in at a time. */
const maxKept = 200;

/**
 * Compiled plans in memory. Each request looks again at every file and folder that went into its plan, as the plans on
 * disk do, so an edited hook counts from the next event on. `cache`: the user's. One that a caller's environment names
 * may hold what the caller has written, and would count for all others.
 */
export function createPlans(cache: string | undefined): PlanSource {
  const plans = new Map<string, KeptPlan>();
  return async request => {
    const key = planKey(request);
    const known = plans.get(key);
    if (known && isCurrent(known)) return known.plan;
    plans.delete(key);
    // Most were compiled before; a process that has loaded what reads hook files is slower to start others.
    const read = readPlan(request, cache);
    const { plan, kept } = read
      ? { plan: read.plan, kept: read }
      : (await import('../hooks/plan/compile.ts')).compileAndKeep(request, cache);
    if (kept) plans.set(key, kept);
    for (const oldest of plans.keys()) if (plans.size > maxKept) plans.delete(oldest);
    return plan;
  };
}

/** One store for all calls that share a memory folder: a user may have more than one home. */
export function createClaims(): (memory: string) => ClaimStore {
  const stores = new Map<string, ClaimStore>();
  return memory => {
    // A call that waits for the decision looks again; the caller of this one need not wait until it is written.
    const store = stores.get(memory) ?? { ...fileClaims(memory), later: setImmediate };
    stores.set(memory, store);
    return store;
  };
}
