import { loadHooks } from '../discovery/load.ts';
import { createLook } from '../discovery/look.ts';
import type { DialectName } from '../model/index.ts';
import { pinHooks } from '../trust/pins.ts';
import { writePlan } from './cache.ts';
import type { Plan, PlanRequest } from './plan.ts';

/** Reads and checks all hook files. A plan without errors is kept for the next time. */
export function compilePlan(request: PlanRequest): Plan {
  const startedAt = Date.now();
  const look = createLook();
  const only = request.only as DialectName | undefined;
  const loaded = loadHooks({ cwd: request.cwd, env: request.env, look, ...(only && { only }) });
  const { contents: _contents, ...pins } = pinHooks({ ...loaded, look });
  const plan = { ...loaded, pins };
  if (!plan.problems.some(problem => problem.severity === 'error')) writePlan(request, plan, look.seen, startedAt);
  return plan;
}
