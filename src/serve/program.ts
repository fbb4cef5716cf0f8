import { realpathSync } from 'node:fs';
import { fingerprintOf, statOf } from '../hooks/discovery/look.ts';

/** The program that runs here, and whether it is still the one on the disk. */
export interface OwnProgram {
  path: string;
  /** An upgrade has put another one in its place. */
  isReplaced(): boolean;
  /** Whether a launcher that starts `program` would start this one. */
  isStartedBy(program: string): boolean;
}

export function ownProgram(path: string): OwnProgram {
  const real = realpathSync(path);
  const mark = (): string => JSON.stringify(fingerprintOf(statOf(real)));
  const atStart = mark();
  return {
    path: real,
    isReplaced: () => mark() !== atStart,
    isStartedBy(program) {
      try {
        return program === real || realpathSync(program) === real;
      } catch {
        return false;
      }
    },
  };
}
