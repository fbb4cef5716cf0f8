import type { ComposeOptions } from '../compose.ts';
import { createLook } from '../discovery/look.ts';
import type { HookDefinition } from '../model/index.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import { compilePlan } from '../plan/compile.ts';
import type { Plan } from '../plan/plan.ts';
import { pinHooks, wholeHash } from '../trust/pins.ts';
import { whyNotTrusted } from '../trust/require.ts';
import { type Standing, standingOf } from '../trust/standing.ts';
import { ifStillTrusted } from '../trust/still-trusted.ts';
import type { Io } from './io.ts';
import { loadAllHooks } from './list-hooks.ts';

/** Why an event may not be fired here by those who require trust. What is trusted is the whole project, not one dialect of it. */
export function whyNotHere(plan: Plan, io: Io): string | undefined {
  const { pins, places } = compilePlan({ cwd: io.cwd, env: io.env, only: undefined });
  const standing = standingOf({ pins, root: places.root, env: io.env });
  tellRemark(standing, io);
  return whyNotTrusted(plan.hooks, standing);
}

export interface TrustCheck {
  /** Why the session may not run. */
  why?: string;
  /** Stands before every script of the session: an agent may have edited it meanwhile. */
  guard?: NonNullable<ComposeOptions['guard']>;
}

/** The same for a session: its pipeline's hooks count too. */
export function checkTrust(plan: PipelinePlan, projectHooks: readonly HookDefinition[], io: Io): TrustCheck {
  const hooks = [...plan.stages.flatMap(stage => stage.hooks), ...plan.hooks, ...projectHooks];
  const look = createLook();
  const all = loadAllHooks(io, look);
  const pins = pinHooks({ hooks: all.hooks, places: all.places, look });
  const standing = standingOf({ pins, root: all.places.root, env: io.env, whole: wholeHash(pins) });
  tellRemark(standing, io);
  const why = whyNotTrusted(hooks, standing);
  return why === undefined ? { guard: run => ifStillTrusted(run, pins) } : { why };
}

function tellRemark({ remark }: Standing, io: Io): void {
  if (remark !== undefined) io.err(`hookloop: ${remark}\n`);
}
