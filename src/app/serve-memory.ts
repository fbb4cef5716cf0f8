import { isFresh, isUnchanged } from '../hooks/discovery/look.ts';
import type { Compiled } from '../hooks/plan/compile.ts';
import { type Plan, type PlanRequest, steeringVariables } from '../hooks/plan/plan-cache.ts';
import { type ClaimStore, fileClaims } from '../hosts/sessions/claims.ts';

/** Folders of one user that agents work in at a time. */
const maxKept = 200;

/**
 * Compiled plans in memory. Each request looks again at every file and folder that went into its plan, as the plans on
 * disk do, so an edited hook counts from the next event on.
 */
export function createPlans(): (request: PlanRequest) => Promise<Plan> {
  const plans = new Map<string, Compiled>();
  return async request => {
    const key = keyOf(request);
    const known = plans.get(key);
    if (known && isCurrent(known)) return known.plan;
    plans.delete(key);
    // Loaded when a plan is missing: a process that holds much is slow to start others.
    const compiled = (await import('../hooks/plan/compile.ts')).compileAndShow(request);
    if (isLasting(compiled)) plans.set(key, compiled);
    for (const oldest of plans.keys()) if (plans.size > maxKept) plans.delete(oldest);
    return compiled.plan;
  };
}

const keyOf = ({ cwd, only, env, roots = [] }: PlanRequest): string =>
  JSON.stringify([cwd, only ?? '', roots, ...steeringVariables.map(name => env[name] ?? null)]);

function isCurrent({ seen }: Compiled): boolean {
  for (const [path, was] of seen) if (!isUnchanged(path, was)) return false;
  return true;
}

/** It has no errors, and nothing that went into it was changing. */
const isLasting = ({ seen, startedAt, isSound }: Compiled): boolean =>
  isSound && ![...seen.values()].some(fingerprint => isFresh(fingerprint, startedAt));

/** One memory of claims for all calls that share a folder: of one user there may be more than one home. */
export function createClaims(): (memory: string) => ClaimStore {
  const stores = new Map<string, ClaimStore>();
  return memory => {
    // Whoever waits for what was decided asks again; whoever waits for the answer should not wait for that.
    const store = stores.get(memory) ?? { ...fileClaims(memory), later: setImmediate };
    stores.set(memory, store);
    return store;
  };
}
