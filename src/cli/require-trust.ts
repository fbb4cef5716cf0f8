import { loadAllHooks } from '../app/list.ts';
import { createLook } from '../hooks/discovery/look.ts';
import { checkHooks, type TrustCheck } from '../hooks/trust/may-run.ts';
import { pinHooks, wholeHash } from '../hooks/trust/pins.ts';
import { trustStatus } from '../hooks/trust/status.ts';
import type { HookDefinition } from '../model/index.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import type { Io } from './io.ts';

/** Whether a session may run that requires trust: its pipeline's hooks count too. */
export function checkTrust(plan: PipelinePlan, projectHooks: readonly HookDefinition[], io: Io): TrustCheck {
  const hooks = [...plan.stages.flatMap(stage => stage.hooks), ...plan.hooks, ...projectHooks];
  const look = createLook();
  const all = loadAllHooks(io, look);
  const pins = pinHooks({ ...all, look });
  const check = checkHooks(hooks, { pins, root: all.places.root, env: io.env, whole: wholeHash(pins) });
  if (check.remark !== undefined) io.err(check.remark);
  return check;
}

/** Whether a person has accepted this project's hooks and their scripts exactly as they are. */
export function isTrustedNow(io: Io): boolean {
  const look = createLook();
  const all = loadAllHooks(io, look);
  const pins = pinHooks({ ...all, look });
  const { before, doubt, files } = trustStatus({ pins, root: all.places.root, env: io.env, whole: wholeHash(pins) });
  return before !== undefined && doubt === undefined && [...files.values()].every(state => state === 'trusted');
}
