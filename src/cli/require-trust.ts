import { createLook } from '../discovery/look.ts';
import type { HookDefinition } from '../model/index.ts';
import { compilePlan } from '../plan/compile.ts';
import type { Plan } from '../plan/plan.ts';
import { pinHooks, wholeHash } from '../trust/pins.ts';
import { whyNotTrusted } from '../trust/require.ts';
import { standingOf } from '../trust/standing.ts';
import type { Io } from './io.ts';
import { loadAllHooks } from './list-hooks.ts';

/** Why an event may not be fired here by those who require trust. What is trusted is the whole project, not one dialect of it. */
export function whyNotHere(plan: Plan, io: Io): string | undefined {
  const { pins, places } = compilePlan({ cwd: io.cwd, env: io.env, only: undefined });
  return whyNotTrusted(plan.hooks, standingOf({ pins, root: places.root, env: io.env }));
}

/** The same for a session with these hooks: its pipeline's count too. */
export function whyNotInSession(hooks: readonly HookDefinition[], io: Io): string | undefined {
  const look = createLook();
  const all = loadAllHooks(io, look);
  const pins = pinHooks({ hooks: all.hooks, places: all.places, look });
  return whyNotTrusted(hooks, standingOf({ pins, root: all.places.root, env: io.env, whole: wholeHash(pins) }));
}
