import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { groupOf, removeGroup } from '../workspace/checkpoint-refs.ts';
import { git } from '../workspace/git.ts';
import { removeWorktree } from '../workspace/worktree.ts';
import type { Context } from './context.ts';
import { forkPlace, forkRoot } from './fork-place.ts';
import { type Sessions, sessionsAt, sessionsOf } from './sessions.ts';
import { whyNotHeld } from './undo.ts';

export type Removed =
  /** `forks`: sessions that began from its checkpoints and stay. */
  | { session: string; kind: 'removed'; remark?: string; forks?: readonly string[] }
  | { session: string; kind: 'busy' | 'unknown' }
  | { session: string; kind: 'failed'; why: string };

/** Sessions of the project that no one has worked on for so long. */
export async function oldSessions(context: Context, olderMs: number, nowMs: number): Promise<string[]> {
  const { store } = sessionsAt(context);
  const names: string[] = [];
  for (const { name, changedMs } of await store.list())
    if (!name.includes('/') && changedMs !== null && nowMs - changedMs > olderMs && !(await store.holder(name)))
      names.push(name);
  return names;
}

/** Removes a session: its folder, what is kept for it elsewhere, its checkpoints, and the worktree of a fork. */
export async function removeSession(name: string, context: Context): Promise<Removed> {
  const here = sessionsAt(context);
  const fork = await forkNamed(here, name, context);
  const sessions = (await here.store.find(name)).kind === 'found' ? here : fork?.sessions;
  if (!sessions) return { session: name, kind: 'unknown' };
  const { state } = await sessions.store.state(name);
  const removed = await sessions.store.remove(name);
  if (removed.kind === 'busy') return { session: name, kind: 'busy' };
  if (removed.kind !== 'removed') return { session: name, kind: 'failed', why: whyNotHeld(name, removed) };
  const call = { env: context.env };
  const groups = new Set(state.checkpoints.map(({ ref }) => groupOf(ref)));
  const whys: (string | undefined)[] = [];
  for (const group of groups) whys.push(await removeGroup(here.root, group, call));
  if (sessions !== here && fork) whys.push(await removeWorktree(here.root, fork.folder, call));
  // Worktrees of its children were in its folder.
  else if (groups.size > 0) await git(here.root, ['worktree', 'prune'], call);
  const remark = whys.find(why => why !== undefined);
  const forks = groups.size > 0 ? await forksOf(here, name, context) : [];
  return {
    ...{ session: name, kind: 'removed' as const },
    ...(remark !== undefined && { remark }),
    ...(forks.length > 0 && { forks }),
  };
}

/** They have refs of their own for all that they need. */
async function forksOf(here: Sessions, name: string, context: Context): Promise<string[]> {
  const place = await forkPlace(here.root, context.env);
  if ('why' in place || !existsSync(place.folder)) return [];
  return readdirSync(place.folder)
    .filter(fork => fork.startsWith(`${name}-fork-`) && /^\d+$/.test(fork.slice(`${name}-fork-`.length)))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** A fork's own session is in its worktree. */
async function forkNamed(
  here: Sessions,
  name: string,
  context: Context,
): Promise<{ sessions: Sessions; folder: string } | undefined> {
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return undefined;
  const place = await forkPlace(here.root, context.env);
  if ('why' in place) return undefined;
  const folder = join(place.folder, name);
  const sessions = sessionsOf(forkRoot(folder, place.top, here.root), context.env);
  return (await sessions.store.find(name)).kind === 'found' ? { sessions, folder } : undefined;
}
