import type { SessionRecord } from '../model/record.ts';
import { foldKnown, type SessionState } from '../session/state/state.ts';
import type { Held } from '../session/store.ts';
import { SessionEnd } from './session-end.ts';

export type LiveJournal = ReturnType<typeof createLiveJournal>;

/**
 * The journal while this process writes it, and the state, which follows every record. `state`: after the last entry there is.
 * Contract: rejects with a SessionEnd when the journal cannot be written, and then never writes again.
 */
export function createLiveJournal(journal: Held['journal'], state: SessionState) {
  let broken: SessionEnd | undefined;
  const beforeMs = state.workedMs - performance.now();
  /** Counts on from what was worked before, whatever someone does to the wall clock meanwhile. */
  const setClock = (): void => {
    state.workedMs = beforeMs + performance.now();
  };
  const write = async (record: SessionRecord, when?: 'soon' | 'kept', live = record): Promise<number> => {
    setClock();
    // No one else writes, so the number is known before the entry is on disk.
    state.lastSeq += 1;
    foldKnown(state, { seq: state.lastSeq, at: new Date().toISOString(), ...live });
    if (broken) throw broken;
    try {
      return (await journal.append(record, when)).seq;
    } catch (error) {
      broken ??= new SessionEnd('failed', `the journal cannot be written: ${(error as Error).message}`, {
        because: 'journal',
      });
      throw broken;
    }
  };
  return {
    /** Resolves with the entry's number once it is on disk. `live`: what the session itself goes by, where the record is masked. */
    append: (record: SessionRecord, live?: SessionRecord): Promise<number> => write(record, undefined, live),
    /** On disk before the next record that is waited for; a failure shows there. */
    appendSoon: (record: SessionRecord): void => void write(record, 'soon').catch(() => {}),
    /** As `appendSoon`, but it outlives us from now on: what it tells has cost too much to be done again. */
    appendKept: (record: SessionRecord): void => void write(record, 'kept').catch(() => {}),
    /** Why nothing can be kept any more. */
    failure: (): SessionEnd | undefined => broken,
    /** What is true of the session now, by clocks that no one sets. */
    state(): SessionState {
      setClock();
      return state;
    },
  };
}
