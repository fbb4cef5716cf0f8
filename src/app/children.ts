import type { HookDefinition } from '../model/index.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import type { SessionStatus } from '../model/record.ts';
import { isInside } from '../model/step-key.ts';
import type { SessionFiles } from '../session/paths.ts';
import { fold, newState } from '../session/state/state.ts';
import type { Redone } from '../session/state/work.ts';
import type { SessionStore, StoredSession } from '../session/store.ts';

/** Where the children of one hook point stand. */
export interface ChildPoint {
  store: SessionStore;
  /** The name of the parent. */
  parent: string;
  point: string;
  iteration: number;
}

/** A child that was started before. */
export interface KnownChild {
  name: string;
  paths: SessionFiles;
  plan: PipelinePlan;
  /** Absent while it is at work, or since a crash. */
  status?: SessionStatus;
  reason?: string;
}

/** The hook's event as its file spells it, made fit for a folder. */
export function pointOf({ spelling }: HookDefinition): string {
  const safe = spelling.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return safe.slice(0, 64) || 'hook';
}

/**
 * The children that belong to one run of a hook, in the order in which they were started: further ones are retries. Those
 * of earlier runs of the parent do not count in work that was done anew since.
 */
export async function childrenOf(at: ChildPoint, key: string, redone: readonly Redone[]): Promise<KnownChild[]> {
  const found: KnownChild[] = [];
  for (let nth = 1; ; nth += 1) {
    const name = childName(at, nth);
    const stored = await at.store.find(name);
    if (stored.kind !== 'found') return found;
    const child = await readChild(at.store, stored, key, redone);
    if (child) found.push(child);
  }
}

/** `children/{hook_point}-{iteration}`, and `-2`, `-3` for further ones at that point. */
export const childName = ({ parent, point, iteration }: ChildPoint, nth: number): string =>
  `${parent}/${point}-${iteration}${nth > 1 ? `-${nth}` : ''}`;

async function readChild(
  store: SessionStore,
  { name, files }: StoredSession,
  key: string,
  redone: readonly Redone[],
): Promise<KnownChild | undefined> {
  const state = newState();
  const end = await store.read(name, entry => fold(state, entry));
  const { started, closed } = state;
  if (end.kind === 'unreadable' || !started) return undefined;
  const of = started.settings.child;
  const isRedone = ({ key: whole, run }: Redone): boolean => run > of!.run && (key === whole || isInside(key, whole));
  if (of?.key !== key || redone.some(isRedone)) return undefined;
  const child = { name, paths: files, plan: started.plan };
  if (end.kind === 'damaged' || !closed) return child;
  return { ...child, status: closed.status, ...(closed.reason !== undefined && { reason: closed.reason }) };
}
