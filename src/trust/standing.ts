import type { HookEvent } from '../model/index.ts';
import { type Gate, standsBefore } from './guarded.ts';
import type { FilePin, Pins } from './pins.ts';
import { type Repository, repositoryOf } from './repository.ts';
import { readStore, type TrustedRepository } from './store.ts';

/** `changed`: trusted before, and different now. `removed`: trusted before, and without hooks now. */
export type FileState = 'trusted' | 'untrusted' | 'changed' | 'removed';

/** The states of a file's hooks for people, the same everywhere. */
export const stateWords: Readonly<Record<FileState, string>> = {
  trusted: 'trusted',
  untrusted: 'not trusted yet',
  changed: 'changed since they were trusted',
  removed: 'gone since they were trusted',
};

/** An earlier trust, and the name it is kept under. */
export interface Before extends TrustedRepository {
  key: string;
}

/** How a project stands with its user's trust. */
export interface Standing {
  repository: Repository;
  files: ReadonlyMap<string, FileState>;
  /** What was trusted before. */
  before: Before | undefined;
  /** Nobody can tell what was trusted: why. Events that gates may refuse are refused. */
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
}

/** Compares a project as it is with what was trusted. Contract: never throws. */
export function standingOf({ pins, root, env, whole }: Question): Standing {
  const repository = repositoryOf(root);
  const isAsked = ({ pipeline }: { pipeline?: true }): boolean => whole !== undefined || !pipeline;
  const files = Object.entries(pins.files).filter(([, pin]) => isAsked(pin));
  const all = (state: FileState) => new Map(files.map(([file]) => [file, state]));
  const wanted = env['HOOKLOOP_TRUST'];
  if (wanted && (whole === undefined ? wanted.split('.')[0] === pins.hash : wanted === whole))
    return { repository, files: all('trusted'), before: undefined, doubt: undefined };
  const store = readStore(env);
  if (store.kind === 'bad') {
    const doubt = `what is trusted cannot be told: ${store.reason}`;
    return { repository, files: all('untrusted'), before: undefined, doubt, remedy: store.remedy };
  }
  const before = entryOf(store.repositories, repository);
  const states = new Map([
    ...removedFrom(before, isAsked),
    ...files.map(([file, pin]) => [file, stateOf(file, pin, before)] as const),
  ]);
  const isTrusted = before !== undefined && [...states.values()].every(state => state === 'trusted');
  const another = mismatch(wanted, whole ?? pins.hash);
  if (!isTrusted)
    return { repository, files: states, before, doubt: another ?? above(store.repositories, repository, before) };
  const remark = another && `${another}; they are trusted all the same, because of an earlier hookloop trust`;
  return { repository, files: states, before, doubt: undefined, ...(remark !== undefined && { remark }) };
}

/** Files that are not trusted as they are, and of which a gate stood or stands before the event. */
export function doubtfulGates({ files, before }: Standing, pins: Pins, event: HookEvent): string[] {
  const isGated = (gates: Readonly<Record<string, { gates: readonly Gate[] }>>, file: string): boolean =>
    Object.hasOwn(gates, file) && gates[file]!.gates.some(gate => standsBefore(event, gate));
  return [...files].flatMap(([file, state]) =>
    state !== 'trusted' && (isGated(pins.files, file) || isGated(before?.files ?? {}, file)) ? [file] : [],
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

const removedFrom = (
  before: Before | undefined,
  isAsked: (pin: { pipeline?: true }) => boolean,
): (readonly [file: string, state: FileState])[] =>
  Object.entries(before?.files ?? {})
    .filter(([, pin]) => isAsked(pin))
    .map(([file]) => [file, 'removed'] as const);

function stateOf(file: string, { hash }: FilePin, before: Before | undefined): FileState {
  if (before === undefined || !Object.hasOwn(before.files, file)) return 'untrusted';
  return before.files[file]!.hash === hash ? 'trusted' : 'changed';
}

/** Who names a state in the environment wants no other one: a gate that is gone shows only as another hash. */
const mismatch = (wanted: string | undefined, hash: string): string | undefined =>
  wanted ? `HOOKLOOP_TRUST is not the hash of these hooks, which is ${hash}` : undefined;

/** A new hook file or repository in a folder of a trusted project would take the project's gates away. */
function above(
  repositories: Readonly<Record<string, TrustedRepository>>,
  { root }: Repository,
  before: Before | undefined,
): string | undefined {
  if (before !== undefined) return undefined;
  const outer = Object.values(repositories).find(
    entry =>
      root.startsWith(entry.root === '/' ? '/' : `${entry.root}/`) &&
      Object.values(entry.files).some(({ gates, pipeline }) => gates.length > 0 && !pipeline),
  );
  return outer && `this folder is a project of its own inside of ${outer.root}, whose trusted gates do not count here`;
}
