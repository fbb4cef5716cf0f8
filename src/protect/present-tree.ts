import { lstatSync } from 'node:fs';
import { git, withIndex } from '../workspace/git.ts';
import { findRepository } from '../workspace/repository.ts';
import {
  type Captured,
  type CaptureOptions,
  captureTree,
  distrustTimes,
  forgetSeed,
  writeTree,
} from '../workspace/tree.ts';
import type { Reading } from './reading.ts';

/** The working files as a tree, also those that git was told to overlook: whoever is judged must not choose what is seen. */
export async function presentTree(root: string, options: CaptureOptions): Promise<Captured> {
  const captured = await captureTree(root, { ...options, distrustsTimes: true });
  if (captured.kind !== 'tree') return captured;
  const found = await findRepository(root, options);
  if (found.kind !== 'repository') return found;
  const { top } = found.repository;
  const call = withIndex(options, options.index);
  const listed = await git(top, ['ls-files', '-v', '-z'], call);
  if (listed.kind !== 'done') return { kind: 'failed', why: listed.why };
  const overlooked = listed.bytes
    .toString('latin1')
    .split('\0')
    .filter(row => /^(?:[a-z]|S) /.test(row))
    .map(row => Buffer.from(row.slice(2), 'latin1'))
    .filter(path => isThere(top, path));
  if (overlooked.length === 0) return captured;
  forgetSeed(options.index);
  const input = Buffer.concat(overlooked.flatMap(path => [path, Buffer.from('\0')]));
  const seen = ['update-index', '--no-assume-unchanged', '-z', '--stdin'];
  const whole = ['update-index', '--no-skip-worktree', '-z', '--stdin'];
  const again = ['update-index', '--really-refresh'];
  const added = ['add', '--all', '--sparse', '--pathspec-from-file=-', '--pathspec-file-nul'];
  for (const [args, given] of [
    [seen, input],
    [whole, input],
    [again, undefined],
    [added, input],
  ] as const) {
    if (args === added) distrustTimes(options.index);
    const done = await git(top, args, {
      ...call,
      ...(given && { input: given }),
      variables: { ...call.variables, GIT_LITERAL_PATHSPECS: '1' },
    });
    // A refresh says by its exit code that something differs, which is what we look for.
    if (done.kind === 'failed' || (done.kind === 'refused' && args !== again)) return { kind: 'failed', why: done.why };
  }
  return writeTree(top, call);
}

export type SeenTree = { kind: 'tree'; tree: string; reading?: Reading } | { kind: 'failed'; why: string };

/** For whoever needs one: outside a repository there is none. */
export const treeOrWhy = (captured: Captured, reading: { reading?: Reading }): SeenTree =>
  captured.kind === 'tree' ? { kind: 'tree', tree: captured.tree, ...reading } : { kind: 'failed', why: captured.why };

/** In a sparse checkout many are not. */
function isThere(top: string, path: Buffer): boolean {
  try {
    return lstatSync(Buffer.concat([Buffer.from(`${top}/`), path]), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
