import { type Plan, type PlanRequest, readPlan } from '../hooks/plan/cache.ts';
import type { Io } from './io.ts';

/** The plan of a folder as it applies now; most are compiled already, and most have no `root: true` to ask trust about. */
export async function planFor(request: PlanRequest, io: Io): Promise<Plan> {
  const plan = await compiledPlan(request, io);
  if (plan.ends.length === 0) return plan;
  const whole = request.only === undefined ? plan : await compiledPlan({ ...request, only: undefined }, io);
  return (await import('../hooks/plan/compile.ts')).applyingPlan(plan, whole, request);
}

const compiledPlan = async (request: PlanRequest, io: Io): Promise<Plan> =>
  (await io.plan?.(request)) ?? readPlan(request) ?? (await import('../hooks/plan/compile.ts')).compilePlan(request);
