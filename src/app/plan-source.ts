import { hasReadPlan, type Plan, type PlanRequest, readPlan } from '../hooks/plan/plan-cache.ts';

/** Where compiled plans come from: the user's cache, or the memory of a process that stays. */
export type PlanSource = (request: PlanRequest) => Promise<Plan>;

/** The compiler is loaded only if it is needed: most plans are compiled already. */
export const plansOnDisk: PlanSource = async request =>
  readPlan(request)?.plan ?? (await import('../hooks/plan/compile.ts')).compilePlan(request);

/** Whether this process has run from a plan that was compiled before. */
export const isWarm = hasReadPlan;

/** The plan of a folder as it applies now; most have no `root: true` to ask trust about. */
export async function planFor(request: PlanRequest, source: PlanSource): Promise<Plan> {
  const plan = await source(request);
  if (plan.ends.length === 0) return plan;
  const whole = request.only === undefined ? plan : await source({ ...request, only: undefined });
  return (await import('../hooks/plan/compile.ts')).applyingPlan(plan, whole, request);
}
