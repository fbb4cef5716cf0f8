import { constants, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf, withOpenFile, writeOnce } from './files.ts';
import { isSameProcess, ownIdentity, type ProcessIdentity } from './processes.ts';

export type FolderLock =
  | { kind: 'held'; isHeld(): boolean; release(): Promise<void> }
  | { kind: 'busy'; pid: number; since: string };

/** Who holds a folder, as written down for others. */
export interface Holder extends ProcessIdentity {
  since: string;
}

/** A holder that is being killed lives on for a moment. */
const patienceMs = 500;
const againMs = 20;

/**
 * One holder per folder among the processes of this machine: a file in the folder names it, so only who may write there can
 * hold it, and a dead holder is succeeded. Contract: rejects with the reason where the folder takes no file.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  try {
    const real = realpathSync(folder);
    for (const untilMs = performance.now() + patienceMs; ; await delay(againMs)) {
      const lock = take(real);
      if (lock.kind === 'held' || lock.pid === process.pid || performance.now() > untilMs) return lock;
    }
  } catch (error) {
    throw new Error(`its folder cannot be locked: ${reasonOf(error)}`, { cause: error });
  }
}

/** Who holds a folder right now. Nothing is taken: who is just starting must not see it as busy. */
export function holderOf(folder: string): Holder | undefined {
  try {
    const newest = newestIn(folder);
    const holder = newest > 0 ? holderIn(folder, newest) : undefined;
    return holder === 'gone' ? undefined : (holder ?? holderOfOldVersion(folder));
  } catch {
    return undefined;
  }
}

/**
 * Each holder makes the file `lock.<n>` after the newest one, whose holder is dead; making it succeeds for one only. A
 * dead holder's file is never removed or renamed by its successor, so no one can take away a fresh one by mistake.
 */
function take(folder: string): FolderLock {
  for (;;) {
    const newest = newestIn(folder);
    const holder = newest > 0 ? holderIn(folder, newest) : undefined;
    if (holder === 'gone') continue;
    const living = holder ?? holderOfOldVersion(folder);
    if (living) return { kind: 'busy', pid: living.pid, since: living.since };
    const mine = newest + 1;
    const own: Holder = { ...ownIdentity(), since: new Date().toISOString() };
    // Its content is whole before it has its name: a half-written one would look like no one's.
    const text = JSON.stringify(own);
    if (!writeOnce(fileOf(folder, mine), text)) continue;
    if (newestIn(folder) === mine) {
      removeOld(folder, mine);
      return {
        kind: 'held',
        isHeld: () => isNewest(folder, mine) && hasText(fileOf(folder, mine), text),
        release: async () => {
          if (hasText(fileOf(folder, mine), text)) rmSync(fileOf(folder, mine), { force: true });
        },
      };
    }
    rmSync(fileOf(folder, mine), { force: true });
  }
}

/** Someone who thought us dead, or removed our file, has made another. */
function isNewest(folder: string, mine: number): boolean {
  try {
    return newestIn(folder) === mine;
  } catch {
    return false;
  }
}

/** Where our file was removed, the next holder's has the same number. */
function hasText(path: string, text: string): boolean {
  try {
    return textOf(path) === text;
  } catch {
    return false;
  }
}

const fileOf = (folder: string, number: number): string => join(folder, `lock.${number}`);

const numbersIn = (folder: string): number[] =>
  readdirSync(folder)
    .filter(name => /^lock\.\d+$/.test(name))
    .map(name => Number(name.slice('lock.'.length)));

/** More than there have ever been: someone else has made that file, and counting on from it would not end. */
const maxNumber = 1e12;

function newestIn(folder: string): number {
  const newest = Math.max(0, ...numbersIn(folder));
  if (newest > maxNumber) throw new Error(`${fileOf(folder, newest)} is not a hookloop lock file; remove it`);
  return newest;
}

function holderIn(folder: string, number: number): Holder | 'gone' | undefined {
  try {
    return livingHolder(fileOf(folder, number));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'gone';
    throw error;
  }
}

/** 0.1.0 held a socket and wrote down here who it was. */
function holderOfOldVersion(folder: string): Holder | undefined {
  try {
    return livingHolder(join(folder, 'holder.json'));
  } catch {
    return undefined;
  }
}

/**
 * The holder a file names, if that very process still lives. A link, a pipe or anything else in its place names no one and
 * is not followed. Contract: throws the system's error.
 */
function livingHolder(path: string): Holder | undefined {
  const text = textOf(path);
  const holder = text === undefined ? undefined : parseHolder(text);
  return holder && isSameProcess(holder) ? holder : undefined;
}

const maxHolderBytes = 4096;

function textOf(path: string): string | undefined {
  try {
    return withOpenFile(path, constants.O_NOFOLLOW, (fd, stats) =>
      stats.isFile() && stats.size <= maxHolderBytes ? readFileSync(fd, 'utf8') : undefined,
    );
  } catch (error) {
    if (['ELOOP', 'EMLINK', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, startTime, since } = JSON.parse(text);
    return Number.isSafeInteger(pid) && typeof startTime === 'string'
      ? { pid, startTime, since: String(since) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Some stay, so that a slow reader of the folder never misses all newer ones. */
const keptFiles = 8;

function removeOld(folder: string, newest: number): void {
  for (const number of numbersIn(folder))
    if (number <= newest - keptFiles) rmSync(fileOf(folder, number), { force: true });
}
