import { type LoadedHooks, type LoadOptions, loadHooks, withoutRoots } from '../discovery/load.ts';
import { createLook } from '../discovery/look.ts';
import { rootsBeyondEnd } from '../trust/ended-search.ts';
import { pinHooks, withoutPinsOf } from '../trust/pins.ts';
import type { Plan, PlanRequest } from './plan.ts';

/** The hooks that apply in a folder: those that are found, without outer roots that a trusted `root: true` leaves out. */
export function loadApplyingHooks(options: LoadOptions): LoadedHooks {
  const { env = process.env, look = createLook() } = options;
  const loaded = loadHooks({ ...options, look });
  if (loaded.ends.length === 0) return loaded;
  const pins = pinHooks({ ...loaded, look });
  const dropped = rootsBeyondEnd({ ...loaded, pins }, env, options.roots);
  const outer = loaded.outer.filter(({ places }) => !dropped.includes(places.root));
  return { ...withoutRoots(dropped, loaded), outer };
}

/** A compiled plan as it applies now: trust may have been given or taken since. `whole`: the plan of all dialects. */
export function applyingPlan(plan: Plan, whole: Plan, { env, roots }: PlanRequest): Plan {
  const dropped = rootsBeyondEnd(whole, env, roots);
  if (dropped.length === 0) return plan;
  return { ...withoutRoots(dropped, plan), pins: withoutPinsOf(dropped, plan.pins, plan.places) };
}
