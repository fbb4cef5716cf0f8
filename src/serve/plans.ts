import { loadHooks } from '../discovery/load.ts';
import { createLook, type Fingerprint, fingerprintOf, type Look, statOf } from '../discovery/look.ts';
import { steeringVariables } from '../discovery/steering.ts';
import type { DialectName } from '../model/index.ts';
import { writePlan } from '../plan/cache.ts';
import type { Plan, PlanRequest } from '../plan/plan.ts';
import { pinHooks } from '../trust/pins.ts';

interface Kept {
  plan: Plan;
  seen: ReadonlyMap<string, Fingerprint>;
}

/** Folders of one user that agents work in at a time. */
const maxKept = 200;

/**
 * Compiled plans in memory. Each request looks again at every file and folder that went into its plan, as the plans on
 * disk do, so an edited hook counts from the next event on.
 */
export function createPlans(): (request: PlanRequest) => Plan {
  const plans = new Map<string, Kept>();
  return request => {
    const key = keyOf(request);
    const known = plans.get(key);
    plans.delete(key);
    if (known && isCurrent(known)) {
      plans.set(key, known);
      return known.plan;
    }
    const startedAt = Date.now();
    const look = createLook();
    const plan = compile(request, look);
    if (plan.problems.some(({ severity }) => severity === 'error')) return plan;
    writePlan(request, plan, look.seen, startedAt);
    if (![...look.seen.values()].some(fingerprint => isFresh(fingerprint, startedAt)))
      plans.set(key, { plan, seen: new Map(look.seen) });
    // A map keeps the order of use: the first one has waited longest.
    for (const oldest of plans.keys()) if (plans.size > maxKept) plans.delete(oldest);
    return plan;
  };
}

function compile({ cwd, env, only }: PlanRequest, look: Look): Plan {
  const loaded = loadHooks({ cwd, env, look, ...(only !== undefined && { only: only as DialectName }) });
  const { contents: _contents, ...pins } = pinHooks({ ...loaded, look });
  return { ...loaded, pins };
}

const keyOf = ({ cwd, only, env }: PlanRequest): string =>
  JSON.stringify([cwd, only ?? '', ...steeringVariables.map(name => env[name] ?? null)]);

function isCurrent({ seen }: Kept): boolean {
  for (const [path, was] of seen) if (!isSame(was, fingerprintOf(statOf(path)))) return false;
  return true;
}

const isSame = (a: Fingerprint, b: Fingerprint): boolean =>
  Array.isArray(a) && Array.isArray(b) ? a.every((part, index) => part === b[index]) : a === b;

/** Times of files move in steps of a few milliseconds: what changed just now may change again without showing it. */
const clockStepMs = 50;

const isFresh = (fingerprint: Fingerprint, startedAt: number): boolean =>
  Array.isArray(fingerprint) && Math.max(fingerprint[3], fingerprint[4]) > startedAt - clockStepMs;
