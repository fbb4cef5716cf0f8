import { isUnchanged } from '../hooks/discovery/look.ts';
import { type Plan, type PlanRequest, steeringVariables } from '../hooks/plan/cache.ts';
import type { Compiled } from './compile.ts';

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
    const compiled = (await import('./compile.ts')).compilePlan(request);
    if (compiled.isLasting) plans.set(key, compiled);
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
