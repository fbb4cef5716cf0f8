import { join } from 'node:path';
import type { Decision, HookId } from '../../model/index.ts';
import { appendPrivate, createPrivate, readIfThere, removeIfThere, removeOld, replacePrivate } from './files.ts';
import { tellClaims, toldClaim } from './told-claims.ts';

/** Who runs the hooks of an event. */
export interface Kept {
  key: string;
  /** The agent whose entry called us. */
  agent: string;
  call: string;
  hooks: readonly HookId[];
  at: number;
  pid: number;
  decision?: Decision;
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
  /** One that another process remembers and has not written down yet. Asked after a claim was made, so one of both sees the other. */
  unwritten?(name: string): Promise<Kept | undefined>;
  /** Tells others of such claims. */
  tell?(claimNamed: (name: string) => Kept | undefined): void;
}

/** The second line of a claim's file. Appending it takes a fraction of what replacing the file does. */
type Decided = Required<Pick<Kept, 'at' | 'pid' | 'decision'>>;

/** In files, which all processes of the user see. */
export function fileClaims(folder: string): ClaimStore {
  const fileOf = (name: string): string => join(folder, 'claims', `${name}.json`);
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
      if (isCreated) sweep(folder);
      return isCreated;
    },
    read(name) {
      const text = readIfThere(fileOf(name));
      if (text === undefined) return undefined;
      const [first = '', ...later] = text.split('\n');
      const kept = parsed<Kept>(first);
      const said = later.map(line => parsed<Decided>(line)).find(at => at?.at === kept?.at && at?.pid === kept?.pid);
      return kept && said ? { ...kept, decision: said.decision } : kept;
    },
    replace: (name, claim) => isDone(() => replacePrivate(fileOf(name), `${JSON.stringify(claim)}\n`)),
    decide(name, { at, pid }, decision) {
      const decided: Decided = { at, pid, decision };
      // Without it a second call runs the hooks again, which is only slower.
      isDone(() => appendPrivate(fileOf(name), `${JSON.stringify(decided)}\n`));
    },
    drop: name => removeIfThere(fileOf(name)),
    unwritten: name => toldClaim(folder, name),
    tell: claimNamed => tellClaims(folder, claimNamed),
  };
}

const keptMs = 10 * 60 * 1000;
/** As many events as agents have in that time. */
const maxRemembered = 10_000;

/** Short hooks have ended by then, and we have heard of it. */
const afterwardsMs = 5;

/** For a process that answers everybody: it remembers claims itself, and writes them for others a little later. */
export function rememberedClaims(files: ClaimStore, later = afterwards): ClaimStore {
  const claims = new Map<string, Kept>();
  const remember = (name: string, claim: Kept): void => {
    claims.delete(name);
    claims.set(name, claim);
    for (const [oldest, { at }] of claims) {
      if (claims.size <= maxRemembered && Math.abs(claim.at - at) < keptMs) break;
      claims.delete(oldest);
    }
  };
  files.tell?.(name => claims.get(name));
  return {
    create(name, claim) {
      if (claims.has(name) || files.read(name)) return false;
      remember(name, claim);
      later(() => files.create(name, claim));
      return true;
    },
    read(name) {
      const [remembered, written] = [claims.get(name), files.read(name)];
      // Another process may have had the same event after the one that is remembered.
      return remembered && !(written && written.at > remembered.at) ? remembered : written;
    },
    replace(name, claim) {
      remember(name, claim);
      later(() => files.replace(name, claim));
      return true;
    },
    decide(name, claim, decision) {
      if (claims.get(name) === claim) claims.set(name, { ...claim, decision });
      later(() => files.decide(name, claim, decision));
    },
    drop(name, claim) {
      if (claims.get(name) === claim) claims.delete(name);
      later(() => files.drop(name, claim));
    },
  };
}

/** In the order in which they come. */
const afterwards = (work: () => void): void => void setTimeout(work, afterwardsMs);

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
function sweep(folder: string): void {
  if (Math.random() > 1 / 64) return;
  removeOld(join(folder, 'claims'), keptMs);
  for (const name of ['notes', 'turns', 'sittings']) removeOld(join(folder, name), 7 * dayMs);
}
