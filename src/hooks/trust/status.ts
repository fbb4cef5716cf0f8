import { join, relative } from 'node:path';
import type { HookEvent } from '../../model/index.ts';
import type { TrustState } from '../../model/words.ts';
import { isInCi } from '../../platform/ci.ts';
import { isWithin } from '../../platform/folders.ts';
import { type Gate, standsBefore } from './gated-events.ts';
import type { FilePin, Pins } from './pins.ts';
import { type Repository, readStore, repositoryOf, type TrustedRepository } from './trust-store.ts';

/** An earlier trust, and the name it is kept under. */
export interface Before extends TrustedRepository {
  key: string;
}

/** What of a project its user trusts as it is. */
export interface TrustStatus {
  repository: Repository;
  files: ReadonlyMap<string, TrustState>;
  /** What was trusted before. */
  before: Before | undefined;
  /** Everything that was trusted before, in this project and in its outer roots. */
  earlier: TrustedRepository['files'];
  /** No one can tell what was trusted: why. Events that gates may refuse are refused. */
  doubt: string | undefined;
  /** What has to be done first where `hookloop trust` cannot help. */
  remedy?: string;
  /** What people should know, and what holds nothing back. */
  remark?: string;
}

/** What is asked about. */
export interface Question {
  pins: Pins;
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Asks about the hooks of pipelines as well; the hash of everything. */
  whole?: string;
  /** False for calls of agents' hooks: agents hand on variables that a project may have set. */
  takesHash?: boolean;
}

/** Compares a project as it is with what was trusted. Contract: never throws. */
export function trustStatus({ pins, root, env, whole, takesHash = true }: Question): TrustStatus {
  const repository = repositoryOf(root);
  const isAsked = ({ pipeline }: { pipeline?: true }): boolean => whole !== undefined || !pipeline;
  const files = Object.entries(pins.files).filter(([, pin]) => isAsked(pin));
  const all = (state: TrustState) => new Map(files.map(([file]) => [file, state]));
  const wanted = env['HOOKLOOP_TRUST'];
  const isTheHash = wanted && (whole === undefined ? wanted.split('.')[0] === pins.hash : wanted === whole);
  // The hash is the same for every copy of a project: it counts only where someone has set up the machine for the run.
  if (isTheHash && takesHash && isInCi(env))
    return { repository, files: all('trusted'), before: undefined, earlier: {}, doubt: undefined };
  const store = readStore(env);
  if (store.kind === 'bad') {
    const doubt = `cannot tell what is trusted: ${store.reason}`;
    return { repository, files: all('untrusted'), before: undefined, earlier: {}, doubt, remedy: store.remedy };
  }
  const before = entryOf(store.repositories, repository);
  const outer = trustedOutside(store.repositories, root, pins);
  const earlier = { ...outer, ...before?.files };
  const states = new Map<string, TrustState>([
    ...Object.entries(earlier).flatMap(([file, pin]) => (isAsked(pin) ? [[file, 'removed'] as const] : [])),
    ...files.map(([file, pin]) => [file, stateOf(file, pin, outer, before?.files)] as const),
  ]);
  const isTrusted = before !== undefined && [...states.values()].every(state => state === 'trusted');
  const another = isTheHash ? undefined : mismatch(wanted, whole ?? pins.hash);
  if (!isTrusted)
    return {
      ...{ repository, files: states, before, earlier },
      doubt: another ?? above(store.repositories, repository, before, pins),
    };
  const remark = another && `${another}; they are still trusted, because of an earlier hookloop trust`;
  return { repository, files: states, before, earlier, doubt: undefined, ...(remark !== undefined && { remark }) };
}

/** Files that are not trusted as they are, and of which a gate stood or stands before the event. */
export function doubtfulGates({ files, earlier }: TrustStatus, pins: Pins, event: HookEvent): string[] {
  const isGated = (gates: Readonly<Record<string, { gates: readonly Gate[] }>>, file: string): boolean =>
    Object.hasOwn(gates, file) && gates[file]!.gates.some(gate => standsBefore(event, gate));
  return [...files].flatMap(([file, state]) =>
    state !== 'trusted' && (isGated(pins.files, file) || isGated(earlier, file)) ? [file] : [],
  );
}

/** By its place as well: a folder that becomes a repository, or no longer is one, is still the same project. */
function entryOf(
  repositories: Readonly<Record<string, TrustedRepository>>,
  { key, root }: Repository,
): Before | undefined {
  if (Object.hasOwn(repositories, key)) return { key, ...repositories[key]! };
  const found = Object.entries(repositories).find(([, entry]) => entry.root === root);
  return found && { key: found[0], ...found[1] };
}

/** What is trusted in outer roots, under the names that their files have here. Their pipelines do not run here. */
function trustedOutside(
  repositories: Readonly<Record<string, TrustedRepository>>,
  root: string,
  { outer = [] }: Pins,
): TrustedRepository['files'] {
  const files = outer.flatMap(folder =>
    Object.entries(entryOf(repositories, repositoryOf(folder))?.files ?? {})
      .filter(([file, { pipeline }]) => !pipeline && !file.startsWith('../'))
      .map(([file, pin]) => [
        relative(root, join(folder, file)),
        { ...pin, gates: pin.gates.map(({ event }) => ({ event })) },
      ]),
  );
  return Object.fromEntries(files);
}

/** A file of an outer root may have been trusted there or here. */
function stateOf(file: string, { hash }: FilePin, ...trusted: (TrustedRepository['files'] | undefined)[]): TrustState {
  const known = trusted.filter(files => files !== undefined && Object.hasOwn(files, file));
  if (known.length === 0) return 'untrusted';
  return known.some(files => files![file]!.hash === hash) ? 'trusted' : 'changed';
}

/** Who names a state in the environment wants no other one: a gate that is gone shows only as another hash. */
const mismatch = (wanted: string | undefined, hash: string): string | undefined =>
  wanted ? `HOOKLOOP_TRUST is not the hash of these hooks, which is ${hash}` : undefined;

/** A new hook file or repository in a folder of a trusted project would take the project's gates away. */
function above(
  repositories: Readonly<Record<string, TrustedRepository>>,
  { root }: Repository,
  before: Before | undefined,
  { outer: counted = [] }: Pins,
): string | undefined {
  if (before !== undefined) return undefined;
  const known = new Set(counted.map(folder => repositoryOf(folder).root));
  const outer = Object.values(repositories).find(
    entry =>
      !known.has(entry.root) &&
      root !== entry.root &&
      isWithin(root, entry.root) &&
      Object.values(entry.files).some(({ gates, pipeline }) => gates.length > 0 && !pipeline),
  );
  return outer && `this folder is a separate project inside ${outer.root}, whose trusted gates do not apply here`;
}
