import type { DialectName } from '../../model/index.ts';
import { loadHooks } from '../discovery/load.ts';
import { createLook, type Fingerprint } from '../discovery/look.ts';
import { pinHooks } from '../trust/pins.ts';
import { writePlan } from './cache.ts';
import type { Plan, PlanRequest } from './plan.ts';

export interface Compiled {
  plan: Plan;
  /** Everything that was looked at. */
  seen: ReadonlyMap<string, Fingerprint>;
  startedAt: number;
  /** It has no errors. */
  isSound: boolean;
}

export const compilePlan = (request: PlanRequest): Plan => compileAndShow(request).plan;

/** Reads and checks all hook files. A plan without errors is kept for the next time. */
export function compileAndShow(request: PlanRequest): Compiled {
  const startedAt = Date.now();
  const look = createLook();
  const only = request.only as DialectName | undefined;
  const { cwd, env, roots = [] } = request;
  const { outer, ...loaded } = loadHooks({ cwd, env, roots, look, ...(only && { only }) });
  const { contents: _contents, ...pins } = pinHooks({ ...loaded, outer, look });
  const plan = { ...loaded, pins };
  const isSound = !plan.problems.some(problem => problem.severity === 'error');
  if (isSound) writePlan(request, plan, look.seen, startedAt);
  return { plan, seen: new Map(look.seen), startedAt, isSound };
}
