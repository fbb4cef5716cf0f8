import { withoutRoots } from '../hooks/discovery/load.ts';
import { createLook, type Look } from '../hooks/discovery/look.ts';
import { rootsAbove } from '../hooks/plan/applying.ts';
import {
  type Kept,
  keepTrust,
  readSnapshot,
  removeSnapshot,
  type Snapshot,
  takeSnapshot,
  writeSnapshot,
} from '../hooks/trust/keep.ts';
import { checkHooks, type TrustCheck } from '../hooks/trust/may-run.ts';
import { type Pinned, pinHooks, wholeHash } from '../hooks/trust/pins.ts';
import { type Question, type TrustStatus, trustStatus } from '../hooks/trust/status.ts';
import type { HookDefinition, Problem } from '../model/index.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import { stateFlaw } from '../platform/folders.ts';
import { type AllHooks, loadAllHooks, type Where } from './list.ts';

/** The hooks of a project, what they run, and how they stand with what their user has trusted. */
export interface ProjectTrust extends AllHooks {
  pinned: Pinned;
  hash: string;
  status: TrustStatus;
  /** Errors of the project's own files: what they would run is not known. */
  broken: readonly Problem[];
  isTrusted: boolean;
}

/** Who trusts a file that says `root: true` agrees with that as well: what is above it is left out. */
export function inspectTrust(where: Where): ProjectTrust {
  const look = createLook();
  const all = withinItsRoot(loadAllHooks(where, look));
  const question = questionOf(all, look, where);
  const status = trustStatus(question);
  const broken = all.problems.filter(({ severity, at }) => severity === 'error' && !at.file.startsWith('/'));
  const { pins: pinned, whole: hash } = question;
  return { ...all, pinned, hash, status, broken, isTrusted: broken.length === 0 && isAllTrusted(status) };
}

function withinItsRoot(all: AllHooks): AllHooks {
  const [end] = all.ends;
  if (end === undefined) return all;
  const left = rootsAbove(end, all.places);
  return { ...withoutRoots(left, all), outer: all.outer.filter(({ places }) => !left.includes(places.root)) };
}

function questionOf(all: AllHooks, look: Look, { env }: Where): Question & { pins: Pinned; whole: string } {
  const pins = pinHooks({ ...all, look });
  return { pins, root: all.places.root, env, whole: wholeHash(pins) };
}

const isAllTrusted = ({ files, doubt }: TrustStatus): boolean =>
  doubt === undefined && [...files.values()].every(state => state === 'trusted');

/** What was trusted before, as far as it was kept, and what there is now; undefined where nothing was. */
export function changesSinceTrust(
  { status: { before }, pinned, places }: ProjectTrust,
  env: Where['env'],
): { before: Snapshot | undefined; now: Snapshot } | undefined {
  return before && { before: readSnapshot(env, before.key), now: takeSnapshot(pinned.contents, places.root) };
}

/** What was inspected is what is trusted: files that have changed meanwhile have another hash. */
export async function acceptTrust({ status, pinned, places }: ProjectTrust, env: Where['env']): Promise<Kept> {
  const { repository, before } = status;
  const trusted = { root: repository.root, at: new Date().toISOString(), files: pinned.files };
  const keepTexts = (folder: string): void =>
    writeSnapshot(folder, repository.key, takeSnapshot(pinned.contents, places.root));
  return keepTrust(env, repository.key, trusted, keepTexts, before?.key);
}

export async function revokeTrust({ status }: ProjectTrust, env: Where['env']): Promise<Kept> {
  const flaw = stateFlaw(env);
  if (flaw !== undefined) return { kind: 'failed', reason: flaw };
  const key = status.before?.key ?? status.repository.key;
  return keepTrust(env, key, undefined, folder => removeSnapshot(folder, key));
}

/** Whether a session may run that requires trust: its pipeline's hooks count too. */
export function checkTrust(plan: PipelinePlan, projectHooks: readonly HookDefinition[], where: Where): TrustCheck {
  const hooks = [...plan.stages.flatMap(stage => stage.hooks), ...plan.hooks, ...projectHooks];
  const look = createLook();
  return checkHooks(hooks, questionOf(loadAllHooks(where, look), look, where));
}

/** Whether agents may run the project's own hooks: `unneeded` where there are none that would need trust. */
export function trustState(where: Where): 'trusted' | 'untrusted' | 'unneeded' {
  const status = statusOf(where);
  if (status.files.size === 0 && status.doubt === undefined) return 'unneeded';
  return isAllTrusted(status) ? 'trusted' : 'untrusted';
}

/** Whether a person has accepted this project's hooks and their scripts exactly as they are. */
export function isTrustedNow(where: Where): boolean {
  const status = statusOf(where);
  return status.before !== undefined && isAllTrusted(status);
}

function statusOf(where: Where): TrustStatus {
  const look = createLook();
  return trustStatus(questionOf(loadAllHooks(where, look), look, where));
}
