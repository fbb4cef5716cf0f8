import type { DialectName, Places } from '../../model/index.ts';
import { cacheFolder } from '../../platform/folders.ts';
import { loadSettings } from '../discovery/find-files.ts';
import { type LoadedHooks, type LoadOptions, loadHooks, outerRootOf, withoutRoots } from '../discovery/load.ts';
import { createLook } from '../discovery/look.ts';
import { pinHooks, withoutPinsOf } from '../trust/pins.ts';
import { trustStatus } from '../trust/status.ts';
import { type KeptPlan, keepPlan, type Plan, type PlanRequest } from './plan-cache.ts';

/** For those who need no more than where a project is: this part of the program knows all dialects already. */
export { findPlaces } from '../discovery/load.ts';

export const compilePlan = (request: PlanRequest): Plan => compileAndKeep(request).plan;

/** Reads and checks all hook files. A plan without errors is kept for the next time, in the user's cache. */
export function compileAndKeep(
  request: PlanRequest,
  cache = cacheFolder(request.env),
): { plan: Plan; kept: KeptPlan | undefined } {
  const startedAt = Date.now();
  const look = createLook();
  const only = request.only as DialectName | undefined;
  const { cwd, env, roots = [] } = request;
  const { outer, ...loaded } = loadHooks({ cwd, env, roots, look, ...(only && { only }) });
  const { contents: _contents, ...pins } = pinHooks({ ...loaded, outer, look });
  const { protect } = loadSettings(loaded.places, look);
  const plan: Plan = { ...loaded, pins, ...(protect && { protect }) };
  const isSound = !plan.problems.some(problem => problem.severity === 'error');
  return { plan, kept: isSound ? keepPlan(request, plan, look.seen, startedAt, cache) : undefined };
}

/** The hooks that apply in a folder: those that are found, without outer roots that a trusted `root: true` leaves out. */
export function loadApplyingHooks(options: LoadOptions): LoadedHooks {
  const { env = process.env, look = createLook() } = options;
  const loaded = loadHooks({ ...options, look });
  if (loaded.ends.length === 0) return loaded;
  const pins = pinHooks({ ...loaded, look });
  return withoutRoots(rootsBeyondEnd({ ...loaded, pins }, env, options.roots), loaded);
}

/** A compiled plan as it applies now: trust may have been given or taken since. `whole`: the plan of all dialects. */
export function applyingPlan(plan: Plan, whole: Plan, { env, roots }: PlanRequest): Plan {
  const dropped = rootsBeyondEnd(whole, env, roots);
  if (dropped.length === 0) return plan;
  return { ...withoutRoots(dropped, plan), pins: withoutPinsOf(dropped, plan.pins, plan.places) };
}

/**
 * The outer roots that do not count, because a root below them says `root: true`. Only a file that is trusted as it is
 * may take gates away, and never from a session that has had them from its start (`settled`). The pins are those of all dialects.
 */
function rootsBeyondEnd(
  { places, pins, ends }: Pick<Plan, 'places' | 'pins' | 'ends'>,
  env: Readonly<Record<string, string | undefined>>,
  settled: readonly string[] = [],
): readonly string[] {
  for (const end of ends) {
    const dropped = rootsAbove(end, places).filter(folder => !settled.includes(folder));
    const ended = withoutPinsOf(dropped, pins, places);
    const { files } = trustStatus({ pins: ended, root: places.root, env });
    const own = [...files].filter(([file]) => isNativeFileOf(end, file, places));
    if (own.some(([, state]) => state === 'trusted')) return dropped;
  }
  return [];
}

export const rootsAbove = (end: string, { outer = [] }: Places): readonly string[] =>
  outer.slice(outer.indexOf(end) + 1);

const isNativeFileOf = (end: string, file: string, places: Places): boolean =>
  end === places.root ? file === 'hookloop.yaml' : file.endsWith('/hookloop.yaml') && outerRootOf(file, places) === end;
