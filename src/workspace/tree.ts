import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type GitCall, git, withIndex } from './git.ts';
import { findRepository, type Repository } from './repository.ts';

export interface CaptureOptions extends GitCall {
  /**
   * A private index, kept from one capture to the next so that only changed files are read again; one file more stands
   * beside it. Contract: no one else uses it at the same time.
   */
  index: string;
  /** Where it is known already. */
  repository?: Repository | undefined;
  /** Reads every file, whatever its times say: whoever changed it may have put them back. */
  distrustsTimes?: boolean;
}

export type Tree = { kind: 'tree'; tree: string } | { kind: 'failed'; why: string };

export type Captured =
  /** `left`: what could not be read, in git's words. */
  { kind: 'tree'; tree: string; left?: string } | { kind: 'none'; why: string } | { kind: 'failed'; why: string };

/**
 * The working files of a repository as a tree: what git tracks and what is new in it, not what is ignored and not the
 * folders of sessions. Submodules and repositories inside are the commits they are at. The user's index is only read.
 */
export async function captureTree(folder: string, options: CaptureOptions): Promise<Captured> {
  const found = options.repository
    ? { kind: 'repository' as const, repository: options.repository }
    : await findRepository(folder, options);
  if (found.kind !== 'repository') return found;
  try {
    return await capture(found.repository, options);
  } catch (error) {
    return { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
}

async function capture(repository: Repository, options: CaptureOptions): Promise<Captured> {
  const kept = readSeed(options.index);
  const present = signatureOf(repository);
  const known = kept?.signature === present && !options.distrustsTimes ? kept.tree : undefined;
  if (known === undefined) seed(repository, options.index);
  if (options.distrustsTimes) distrustTimes(options.index);
  // Who had this index before us may have been killed.
  rmSync(`${options.index}.lock`, { force: true });
  forgetSeed(options.index);
  const first = await addAll(repository, options, known);
  const isStale = known !== undefined && !options.stop?.aborted && isOutdated(first);
  if (isStale) seed(repository, options.index);
  const last = isStale ? await addAll(repository, options) : first;
  if (last.kind !== 'tree') return last;
  writeSeed(options.index, { signature: present, tree: last.tree });
  const { kind, tree, left } = last;
  return { kind, tree, ...(left !== undefined && { left }) };
}

const ownFolders = ':(top,exclude,glob)**/.hookloop/sessions/**';

/** Neither warnings about line ends nor an index in two files; and no advice. */
const quietly = [
  'core.safecrlf=false',
  'core.splitIndex=false',
  'core.untrackedCache=false',
  'advice.addEmbeddedRepo=false',
];

type Added = Exclude<Captured, { kind: 'tree' }> | (Extract<Captured, { kind: 'tree' }> & { told: string });

/** `known`: the tree that the index last gave. Then git tells what it has put in and taken out since, and mostly that is little. */
async function addAll({ top }: Repository, options: CaptureOptions, known?: string): Promise<Added> {
  const call = { ...withIndex(options, options.index), settings: quietly };
  const telling = known === undefined ? [] : ['--verbose'];
  const added = await git(
    top,
    ['add', '--all', '--sparse', '--ignore-errors', ...telling, '--', ':/', ownFolders],
    call,
  );
  // 1: some files could not be added, which leaves the others.
  if (added.kind === 'failed' || (added.kind === 'refused' && added.code !== 1))
    return { kind: 'failed', why: added.why };
  const left = added.kind === 'refused' ? { left: added.why } : {};
  if (known !== undefined && added.text === '') return { kind: 'tree', tree: known, told: '', ...left };
  const written = await git(top, ['write-tree', '--missing-ok'], call);
  if (written.kind !== 'done') return { kind: 'failed', why: written.why };
  return { kind: 'tree', tree: written.text, told: added.text, ...left };
}

/** A kept index may be broken; and a file that was new at an earlier capture stays in it, whatever ignore rules say since. */
const isOutdated = (added: Added): boolean => added.kind !== 'tree' || /(^|[/'])\.gitignore'$/m.test(added.told);

/** What the index of a call has, as a tree. */
export async function writeTree(top: string, call: GitCall): Promise<Tree> {
  const written = await git(top, ['write-tree', '--missing-ok'], call);
  return written.kind === 'done' ? { kind: 'tree', tree: written.text } : { kind: 'failed', why: written.why };
}

/** Git reads every file that is not older than its index. */
export function distrustTimes(index: string): void {
  if (existsSync(index)) utimesSync(index, 1, 1);
}

/** What the private index was made from, and the tree it last gave. */
interface Seed {
  signature: string;
  tree: string;
}

const seedFile = (index: string): string => `${index}.seed`;

function readSeed(index: string): Seed | undefined {
  try {
    const [signature, tree] = readFileSync(seedFile(index), 'utf8').split('\n');
    return signature && tree && statSync(index, { throwIfNoEntry: false }) ? { signature, tree } : undefined;
  } catch {
    return undefined;
  }
}

/** The index is made anew at the next capture: for whoever changes it, and while it is not known what is in it. */
export const forgetSeed = (index: string): void => rmSync(seedFile(index), { force: true });

/** A private index, with what stands beside it. Where it cannot be removed it was never there, or goes with the old ones. */
export function removeIndex(index: string): void {
  try {
    for (const file of [index, seedFile(index), `${index}.lock`]) rmSync(file, { force: true });
  } catch {}
}

function writeSeed(index: string, { signature, tree }: Seed): void {
  writeFileSync(`${seedFile(index)}.new`, `${signature}\n${tree}\n`, { mode: 0o600 });
  renameSync(`${seedFile(index)}.new`, seedFile(index));
}

/** Changes when the user's index or rules do: what is tracked, sparse or ignored may be different then. */
const signatureOf = ({ index, excludes }: Repository): string =>
  [index, excludes]
    .map(file => statSync(file, { bigint: true, throwIfNoEntry: false }))
    .map(stats => (stats ? `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` : 'none'))
    .join(' ');

function seed({ index: own }: Repository, index: string): void {
  mkdirSync(dirname(index), { recursive: true });
  forgetSeed(index);
  rmSync(index, { force: true });
  const stats = statSync(own, { throwIfNoEntry: false });
  if (!stats) return;
  copyFileSync(own, index);
  // Git looks into files that are not older than the index: a younger copy would hide a change of that moment.
  const seconds = Math.floor(stats.mtimeMs) / 1000;
  utimesSync(index, seconds, seconds);
}
