import type { Inspection, RepairEnd } from '../session/store.ts';
import type { NamedSession } from './sessions.ts';

/** What is wrong with a journal, what stays of it and what goes. */
export interface JournalDamage {
  kind: 'damaged';
  line: number;
  /** Where that line begins. */
  byte: number;
  reason: string;
  /** Records before it, and when the last of them was written. */
  kept: number;
  lastKeptAt?: string;
  /** Readable records behind it, and how many of them are results of hooks: those hooks run again. */
  lost: number;
  lostResults: number;
  /** Enough is kept to go on with the session. */
  canGoOn: boolean;
}

export type JournalState =
  /** `tornBytes`: of a record that was never whole, which resume cuts off by itself. */
  | { kind: 'whole' | 'torn'; kept: number; tornBytes: number }
  | { kind: 'unreadable' | 'lost'; reason: string }
  | JournalDamage;

export async function inspectJournal({ store, name }: NamedSession): Promise<JournalState> {
  const found = await store.inspect(name);
  if (found.kind === 'damaged') return damageOf(found);
  if ('reason' in found) return found;
  return { kind: found.kind, kept: found.kept.length, tornBytes: found.kind === 'torn' ? found.torn.bytes : 0 };
}

function damageOf({ damage, kept, lost }: Extract<Inspection<object>, { kind: 'damaged' }>): JournalDamage {
  const { line, offset, reason } = damage;
  const lastKeptAt = kept.at(-1)?.at;
  return {
    ...{ kind: 'damaged', line, byte: offset, reason, kept: kept.length, lost: lost.length },
    ...(isTime(lastKeptAt) && { lastKeptAt }),
    lostResults: lost.filter(entry => kindOf(entry) === 'hook.finished').length,
    canGoOn: kept[0] !== undefined && kindOf(kept[0]) === 'session.started',
  };
}

/** Keeps the good part; the session is held while a person thinks: no one can go on with it anyway. */
export const repairJournal = ({ store, name }: NamedSession, agree: () => Promise<boolean>): Promise<RepairEnd> =>
  store.repair(name, agree);

const kindOf = (entry: object): unknown => (entry as { kind?: unknown }).kind;

const isTime = (at: unknown): at is string => typeof at === 'string' && !Number.isNaN(Date.parse(at));
