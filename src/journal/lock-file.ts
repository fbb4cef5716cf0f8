import { randomBytes } from 'node:crypto';
import { linkSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Holder, livingHolder, ownHolder } from './holder.ts';
import type { SessionLock } from './lock.ts';

/** Old files stay a while, so that a slow reader of the folder never misses all newer ones. */
const keptFiles = 8;

/**
 * Each holder makes the file `lock.<n>` after the newest one, whose holder has gone; making it succeeds for one only.
 * A dead holder's file is never removed or renamed by its successor, so nobody can take away a fresh one by mistake.
 */
export async function lockByFile(folder: string): Promise<SessionLock> {
  for (;;) {
    const newest = newestIn(folder);
    const holder = newest > 0 ? holderOf(folder, newest) : undefined;
    if (holder === 'gone') continue;
    if (holder) return { kind: 'busy', pid: holder.pid, since: holder.since };
    const mine = newest + 1;
    if (!create(folder, mine)) continue;
    if (newestIn(folder) === mine) {
      removeOld(folder, mine);
      return {
        kind: 'held',
        release: async () => place(folder, {}, temporary => renameSync(temporary, fileOf(folder, mine))),
      };
    }
    rmSync(fileOf(folder, mine), { force: true });
  }
}

const fileOf = (folder: string, number: number): string => join(folder, `lock.${number}`);

const numbersIn = (folder: string): number[] =>
  readdirSync(folder)
    .filter(name => /^lock\.\d+$/.test(name))
    .map(name => Number(name.slice('lock.'.length)));

const newestIn = (folder: string): number => Math.max(0, ...numbersIn(folder));

function holderOf(folder: string, number: number): Holder | 'gone' | undefined {
  try {
    return livingHolder(fileOf(folder, number));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'gone';
    throw error;
  }
}

function create(folder: string, number: number): boolean {
  try {
    place(folder, ownHolder(), temporary => linkSync(temporary, fileOf(folder, number)));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The content is whole before the file has its name: a half-written one would look like nobody's. */
function place(folder: string, content: object, give: (temporary: string) => void): void {
  const temporary = join(folder, `lock-${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, JSON.stringify(content), { flag: 'wx', mode: 0o600 });
    give(temporary);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function removeOld(folder: string, newest: number): void {
  for (const number of numbersIn(folder))
    if (number <= newest - keptFiles) rmSync(fileOf(folder, number), { force: true });
}
