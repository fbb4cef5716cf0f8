import { join } from 'node:path';
import type { Decision, HookId } from '../../model/index.ts';
import { claimsFolder } from './claims-folder.ts';
import { appendPrivate, createPrivate, readIfThere, removeIfThere, removeOld, replacePrivate } from './files.ts';

/** Who runs the hooks of an event. */
export interface Kept {
  key: string;
  /** The agent whose entry called us. */
  agent: string;
  /** The agent's process. */
  process: string;
  call: string;
  hooks: readonly HookId[];
  at: number;
  pid: number;
  decision?: Decision;
  decidedAt?: number;
}

/** Where claims are kept, under short names. Contract: never throws. */
export interface ClaimStore {
  /** False where there is one of that name, or none can be kept. */
  create(name: string, claim: Kept): boolean;
  read(name: string): Kept | undefined;
  /** False where it cannot be kept. */
  replace(name: string, claim: Kept): boolean;
  decide(name: string, claim: Kept, decision: Decision): void;
  /** Takes it back: nobody has run the hooks to their end. */
  drop(name: string, claim: Kept): void;
}

/** The second line of a claim's file. Appending it takes a fraction of what replacing the file does. */
type Decided = Required<Pick<Kept, 'at' | 'pid' | 'decision' | 'decidedAt'>>;

/** In files, which all processes of the user see. */
export function fileClaims(folder: string, place = claimsFolder(folder)): ClaimStore {
  const fileOf = (name: string): string => join(place, `${name}.json`);
  const isDone = (work: () => void): boolean => {
    try {
      work();
      return true;
    } catch {
      return false;
    }
  };
  return {
    create(name, claim) {
      const isCreated = isDone(() => createPrivate(fileOf(name), `${JSON.stringify(claim)}\n`));
      if (isCreated) sweep(folder, place);
      return isCreated;
    },
    read(name) {
      const text = readIfThere(fileOf(name));
      if (text === undefined) return undefined;
      const [first = '', ...later] = text.split('\n');
      const kept = parsed<Kept>(first);
      const said = later.map(line => parsed<Decided>(line)).find(at => at?.at === kept?.at && at?.pid === kept?.pid);
      return kept && said ? { ...kept, decision: said.decision, decidedAt: said.decidedAt } : kept;
    },
    replace: (name, claim) => isDone(() => replacePrivate(fileOf(name), `${JSON.stringify(claim)}\n`)),
    decide(name, { at, pid }, decision) {
      const decided: Decided = { at, pid, decision, decidedAt: Date.now() };
      // Without it a second call runs the hooks again, which is only slower.
      isDone(() => appendPrivate(fileOf(name), `${JSON.stringify(decided)}\n`));
    },
    drop: name => removeIfThere(fileOf(name)),
  };
}

const keptMs = 10 * 60 * 1000;

/** undefined for a line that is not whole, or no claim. */
function parsed<T extends object>(line: string): T | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

const dayMs = 24 * 60 * 60 * 1000;

/** Now and then: looking through folders for every event would cost more than it saves. */
function sweep(folder: string, place: string): void {
  if (Math.random() > 1 / 64) return;
  removeOld(place, keptMs);
  for (const name of ['notes', 'turns', 'sittings']) removeOld(join(folder, name), 7 * dayMs);
  // A session may last, and its gates with it.
  removeOld(join(folder, 'roots'), 90 * dayMs);
}
