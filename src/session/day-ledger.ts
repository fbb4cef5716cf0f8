import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsOf, isCount, jsonOf } from '../model/json.ts';
import { makePrivateFolder, namesIn, readRegularFile, writeAtomically } from '../platform/files.ts';
import { type Amounts, mergeAmounts, noAmounts, sumOfAmounts } from './state/consumed.ts';

/** What the sessions of one user in one project consume on a day. */
export interface DayLedger {
  /** What all other sessions have consumed on this day, as far as they have told. */
  others(day: string): Amounts;
  /** What this one has consumed on it in all. Contract: never throws; what cannot be kept is told once. */
  keep(day: string, amounts: Amounts): void;
}

/**
 * A file for each session and day, written only by who holds the session: nothing is added up that was told before, so
 * neither a crash nor several sessions at once make it wrong. `session` names this one for ever, also where another gets
 * its name.
 */
export function createDayLedger(
  { folder, project, session }: { folder: string; project: string; session: string },
  warn: (text: string) => void,
): DayLedger {
  const own = `${hashOf(session)}.json`;
  const folderOf = (day: string): string => join(folder, 'spent', hashOf(project), day);
  const kept = new Map<string, Amounts>();
  const read = new Map<string, { atMs: number; amounts: Amounts }>();
  let isTold = false;
  return {
    others(day) {
      const known = read.get(day);
      if (known && Math.abs(Date.now() - known.atMs) < freshMs) return known.amounts;
      const files = namesIn(folderOf(day)).filter(name => name.endsWith('.json') && name !== own);
      const amounts = files.map(name => amountsIn(join(folderOf(day), name))).reduce(sumOfAmounts, noAmounts);
      read.set(day, { atMs: Date.now(), amounts });
      return amounts;
    },
    keep(day, amounts) {
      const path = join(folderOf(day), own);
      const before = kept.get(day) ?? amountsIn(path);
      // What was told before a crash may be more than the journal knows.
      const now = mergeAmounts(before, amounts, Math.max);
      kept.set(day, now);
      if (units.every(unit => before[unit] === now[unit])) return;
      try {
        if (namesIn(folderOf(day)).length === 0) {
          makePrivateFolder(folderOf(day));
          prune(join(folder, 'spent', hashOf(project)));
        }
        writeAtomically(path, `${JSON.stringify(now)}\n`);
      } catch (error) {
        if (isTold) return;
        isTold = true;
        warn(`other sessions do not hear what this one spends today: ${(error as Error).message}`);
      }
    },
  };
}

/** Others are looked at this often. */
const freshMs = 1000;

/** Days that are kept. */
const maxDays = 40;

const units = ['cost', 'tokens', 'timeMs', 'turns'] as const;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

function amountsIn(file: string): Amounts {
  const found = readRegularFile(file, 4096);
  const said = fieldsOf(found.kind === 'bytes' ? jsonOf(found.bytes.toString()) : undefined);
  return Object.fromEntries(units.map(unit => [unit, isCount(said[unit]) ? said[unit] : 0])) as unknown as Amounts;
}

function prune(folder: string): void {
  const days = namesIn(folder)
    .filter(name => /^\d{4}-\d\d-\d\d$/.test(name))
    .sort();
  for (const day of days.slice(0, -maxDays)) rmSync(join(folder, day), { recursive: true, force: true });
}
