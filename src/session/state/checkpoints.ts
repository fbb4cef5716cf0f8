import type { Checkpoint, SessionEntry } from '../../model/record.ts';
import { isInside } from '../../model/step-key.ts';

export interface KeptCheckpoint extends Checkpoint {
  at: string;
  /** Of the work after which it was made, as long as that is not done anew. */
  key?: string;
}

/** The checkpoints of a session, in the order of their numbers. */
export function foldCheckpoints(checkpoints: KeptCheckpoint[], entry: SessionEntry): void {
  if (entry.kind === 'checkpoint.made') {
    const { seq: _seq, kind: _kind, ...made } = entry;
    // Only a journal that someone else wrote counts otherwise.
    if (made.n === (checkpoints.at(-1)?.n ?? -1) + 1) checkpoints.push(made);
  }
  if (entry.kind !== 'session.resumed' || entry.again === undefined) return;
  for (const checkpoint of checkpoints) {
    const { key } = checkpoint;
    if (key !== undefined && (key === entry.again || isInside(key, entry.again))) delete checkpoint.key;
  }
}
