import { closeSync, constants, lstatSync, openSync, realpathSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Decision, HookId } from '../../model/index.ts';
import { shortHash } from '../../platform/cache.ts';
import { inPrivateFolder, makePrivateFolder, writeNew } from '../../platform/files.ts';
import { memoryFolder } from '../../platform/processes.ts';
import { isDone, readIfThere, removeIfThere, removeOld, removeOldMemory, replacePrivate } from './session-memory.ts';

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
  /** Takes it back: no one has run the hooks to their end. */
  drop(name: string, claim: Kept): void;
}

/** The second line of a claim's file. Appending it takes a fraction of what replacing the file does. */
type Decided = Required<Pick<Kept, 'at' | 'pid' | 'decision' | 'decidedAt'>>;

/** In files, which all processes of the user see. */
export function fileClaims(memory: string, folder = claimsFolder(memory)): ClaimStore {
  const fileOf = (name: string): string => join(folder, `${name}.json`);
  return {
    create(name, claim) {
      const file = fileOf(name);
      const isCreated = isDone(() => inPrivateFolder(file, () => writeNew(file, `${JSON.stringify(claim)}\n`)));
      if (isCreated) sweep(memory, folder);
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
      isDone(() => appendIfThere(fileOf(name), `${JSON.stringify(decided)}\n`));
    },
    drop: name => removeIfThere(fileOf(name)),
  };
}

/** The folder in memory for the claims of all this user's memories: on a disk a new file takes longer than a short hook. */
export const claimsInMemory = (within = memoryFolder()): string | undefined =>
  within === undefined ? undefined : join(within, `hookloop-${process.getuid?.()}`);

/** Where the claims of a memory are: in the machine's if that can be the user's alone. Contract: never throws. */
export function claimsFolder(memory: string, within = memoryFolder()): string {
  const own = claimsInMemory(within);
  return own !== undefined && isOwn(own) ? join(own, nameOf(memory)) : join(memory, 'claims');
}

/** Whoever was here first, it must be the user, and no one else may look. */
function isOwn(path: string): boolean {
  try {
    makePrivateFolder(path);
    const { uid, mode } = lstatSync(path);
    return (mode & 0o170777) === 0o040700 && uid === process.getuid?.();
  } catch {
    return false;
  }
}

/** However the home is spelled, and whether or not the folder itself has been made yet. */
function nameOf(memory: string): string {
  try {
    return shortHash(join(realpathSync.native(dirname(memory)), basename(memory)));
  } catch {
    return shortHash(memory);
  }
}

function appendIfThere(file: string, text: string): void {
  const fd = openSync(file, constants.O_WRONLY | constants.O_APPEND);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** undefined for a line that is not whole, or no claim. */
function parsed<T extends object>(line: string): T | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

const keptMs = 10 * 60 * 1000;

/** Now and then: looking through folders for every event would cost more than it saves. */
function sweep(memory: string, folder: string): void {
  if (Math.random() > 1 / 64) return;
  removeOld(folder, keptMs);
  removeOldMemory(memory);
}
