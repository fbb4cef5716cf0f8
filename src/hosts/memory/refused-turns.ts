import { join } from 'node:path';
import { readIfThere, removeIfThere, replacePrivate, shortHash } from './files.ts';

/** Counts the refused turn ends of a session in a row. */
export interface RefusedTurns {
  /** Whether one more turn may be refused; counts it if so. */
  mayRefuse(): boolean;
  /** The agent has done something, or the turn has ended. */
  forget(): void;
}

/** The number that agents with a limit of their own agree on. */
const maxInARow = 8;

/** Where nothing can be kept nothing is refused: an agent that cannot end its turn is worse than one that ends it early. */
export function openRefusedTurns(folder: string | undefined, session: string | undefined): RefusedTurns {
  if (folder === undefined || session === undefined) return { mayRefuse: () => false, forget: () => {} };
  const file = join(folder, 'turns', shortHash(session));
  return {
    mayRefuse() {
      const count = Number(readIfThere(file) ?? 0);
      if (!(count < maxInARow)) return false;
      try {
        replacePrivate(file, String(count + 1));
        return true;
      } catch {
        return false;
      }
    },
    forget: () => removeIfThere(file),
  };
}
