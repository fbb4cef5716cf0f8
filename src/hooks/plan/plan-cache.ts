import { dirname, join } from 'node:path';
import type { HookDefinition, Places, Problem } from '../../model/index.ts';
import type { Protect } from '../../model/protect.ts';
import { build } from '../../platform/build.ts';
import { keepCached, pruneCached, readCached, shortHash } from '../../platform/cache.ts';
import { cacheFolder } from '../../platform/folders.ts';
import { type Fingerprint, isFresh, isUnchanged } from '../discovery/look.ts';
import type { Pins } from '../trust/pins.ts';

/** Everything a folder's hook files say, ready to run: plain data that can be kept as JSON. */
export interface Plan {
  places: Places;
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
  /** What trust is about, where hooks run by themselves. */
  pins: Pins;
  /** Roots that want to end the search, nearest first. */
  ends: readonly string[];
  /** What gates depend on, as the project's own file says. */
  protect?: Protect;
}

/** What decides which files are looked at. */
export interface PlanRequest {
  cwd: string;
  only: string | undefined;
  /** Roots that a session has had from its start: their gates apply whatever else is found. */
  roots?: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/** A plan, and everything that was looked at for it: it counts for as long as all of that is as it was. */
export interface KeptPlan {
  plan: Plan;
  seen: readonly (readonly [path: string, fingerprint: Fingerprint])[];
}

export const isCurrent = ({ seen }: KeptPlan): boolean => seen.every(([path, was]) => isUnchanged(path, was));

let hasRead = false;

/** Whether a plan was at hand. */
export const hasReadPlan = (): boolean => hasRead;

/** The compiled plan of a folder, where it still counts. `cache`: the user's own; what it holds is believed. */
export function readPlan(request: PlanRequest, cache = cacheFolder(request.env)): KeptPlan | undefined {
  const key = planKey(request);
  const file = fileFor(key, cache);
  const text = file === undefined ? undefined : readCached(file);
  if (text === undefined) return undefined;
  try {
    const kept = JSON.parse(text.toString()) as KeptPlan & { key: string };
    if (kept.key !== key || !isCurrent(kept)) return undefined;
    hasRead = true;
    return kept;
  } catch {
    return undefined;
  }
}

/**
 * Keeps a plan for the next time. `startedAt` is when the files were first looked at: one that changed at that moment
 * or later may change again without its times showing it, so such a plan is not kept. A cache that cannot be written is no error.
 */
export function keepPlan(
  request: PlanRequest,
  plan: Plan,
  seen: ReadonlyMap<string, Fingerprint>,
  startedAt: number,
  cache: string | undefined,
): KeptPlan | undefined {
  if ([...seen.values()].some(fingerprint => isFresh(fingerprint, startedAt))) return undefined;
  // What would stand in a folder that is not there needs no look of its own.
  const looked = [...seen].filter(([path, was]) => was !== null || seen.get(dirname(path)) !== null);
  const kept: KeptPlan = { plan, seen: looked };
  const key = planKey(request);
  const file = fileFor(key, cache);
  if (file !== undefined && keepCached(file, Buffer.from(JSON.stringify({ key, ...kept }))))
    pruneCached(dirname(file), maxKept);
  return kept;
}

const fileFor = (key: string, cache: string | undefined): string | undefined =>
  cache === undefined ? undefined : join(cache, 'plans', `${shortHash(key)}.json`);

/** Variables that steer where hooks are found. */
const steeringVariables = ['HOME', 'XDG_CONFIG_HOME', 'CLAUDE_PLUGIN_ROOT', 'REPO_ROOT'] as const;

/** The same for requests that the same plan answers. */
export const planKey = ({ cwd, only, env, roots = [] }: PlanRequest): string =>
  JSON.stringify([build, cwd, only ?? '', roots, ...steeringVariables.map(name => env[name] ?? null)]);

/** Folders come and go. */
const maxKept = 500;
