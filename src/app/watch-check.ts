import { setTimeout as delay } from 'node:timers/promises';
import { createLook, type Fingerprint, fingerprintOf, isUnchanged, statOf } from '../hooks/discovery/look.ts';
import { type Checked, check } from './check.ts';
import type { Where } from './context.ts';

/** A path that is no longer as the last check saw it. */
export interface Change {
  path: string;
  kind: 'changed' | 'new' | 'gone' | 'back';
}

export interface CheckWatcher {
  /** `files`: how many are watched that are there. `changes`: what made it check again; none the first time. */
  onChecked(checked: Checked, files: number, changes: readonly Change[]): void;
  /** The folder is no longer there. It is checked again when it is back. */
  onGone(): void;
  signal: AbortSignal;
}

/** Checks, and again at every change of what a check has looked at, until the signal. */
export async function watchCheck(where: Where, { onChecked, onGone, signal }: CheckWatcher): Promise<void> {
  let changes: readonly Change[] = [];
  while (!signal.aborted) {
    const look = createLook();
    const checked = check(where, look);
    if (isFolder(where.cwd)) {
      onChecked(checked, [...look.seen.values()].filter(isRegularFile).length, changes);
      changes = await nextChanges(look.seen, where.cwd, signal);
    }
    if (signal.aborted || isFolder(where.cwd)) continue;
    onGone();
    while (!isFolder(where.cwd) && !signal.aborted) await pause(signal);
    changes = [{ path: where.cwd, kind: 'back' }];
  }
}

/**
 * Looks at everything again and again. Notices of the system would have to be asked for also in folders that are not
 * there yet, and do not come on every file system; a look at a hundred paths takes a millisecond.
 */
const pollMs = 100;
/** Who writes all the time is not waited for any longer. */
const longestMs = 2000;

/** What has changed, as soon as nothing more changes. Empty where the folder is gone, or at the signal. */
async function nextChanges(
  seen: ReadonlyMap<string, Fingerprint>,
  cwd: string,
  signal: AbortSignal,
): Promise<readonly Change[]> {
  let last = '';
  let sinceMs: number | undefined;
  for (;;) {
    await pause(signal);
    if (signal.aborted || !isFolder(cwd)) return [];
    const changes = [...seen].flatMap(([path, was]) => changeOf(path, was) ?? []);
    if (changes.length === 0) continue;
    sinceMs ??= performance.now();
    const picture = JSON.stringify(changes.map(({ path }) => fingerprintOf(statOf(path))));
    if (picture === last || performance.now() - sinceMs > longestMs) return changes;
    last = picture;
  }
}

function changeOf(path: string, was: Fingerprint): Change | undefined {
  if (isUnchanged(path, was)) return undefined;
  if (was === null) return { path, kind: 'new' };
  return { path, kind: statOf(path) === undefined ? 'gone' : 'changed' };
}

const pause = (signal: AbortSignal): Promise<void> => delay(pollMs, undefined, { signal }).catch(() => {});

const [typeBits, regular] = [0o170000, 0o100000];
const isRegularFile = (looked: Fingerprint): boolean =>
  Array.isArray(looked) && ((looked[5] as number) & typeBits) === regular;

/** Also where it cannot be looked at, there is nothing to be checked. */
function isFolder(path: string): boolean {
  const looked = statOf(path);
  return typeof looked === 'object' && looked.isDirectory();
}
