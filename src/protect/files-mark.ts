import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { filePattern } from '../engine/pattern.ts';
import type { HookDefinition } from '../model/index.ts';
import { type GitCall, git } from '../workspace/git.ts';
import { findRepository, prefixIn } from '../workspace/repository.ts';
import type { Captured } from '../workspace/tree.ts';

/**
 * A text that is the same for as long as the files that a hook looks at are, and what it runs: names, modes and contents
 * count, whoever changed them. undefined: that cannot be told.
 */
export async function filesMark(
  { match, action }: HookDefinition,
  root: string,
  captured: Captured,
  call: GitCall = {},
): Promise<string | undefined> {
  const patterns = (match.files ?? []).map(filePattern);
  const isWanted = (path: string): boolean => patterns.some(matches => matches(path));
  const rows =
    captured.kind === 'tree'
      ? await inTree(root, captured.tree, isWanted, call)
      : captured.kind === 'none'
        ? inFolder(root, isWanted)
        : undefined;
  if (rows === undefined) return undefined;
  const hash = createHash('sha256').update(JSON.stringify([action, match.files]));
  for (const row of rows) hash.update(`\0${row}`);
  return hash.digest('hex').slice(0, 32);
}

async function inTree(
  root: string,
  tree: string,
  isWanted: (path: string) => boolean,
  call: GitCall,
): Promise<string[] | undefined> {
  const found = await findRepository(root, call);
  if (found.kind !== 'repository') return undefined;
  const { top } = found.repository;
  const prefix = prefixIn(top, root);
  const listed = await git(top, ['ls-tree', '-r', '-z', tree], call);
  if (listed.kind !== 'done') return undefined;
  return listed.bytes
    .toString()
    .split('\0')
    .filter(row => {
      const path = row.slice(row.indexOf('\t') + 1);
      return path.startsWith(prefix) && isWanted(path.slice(prefix.length));
    });
}

const maxFiles = 20_000;
const maxDepth = 16;
const quiet = new Set(['.git', '.hookloop', 'node_modules']);

/** Outside repositories. undefined where there are too many to look at. */
function inFolder(root: string, isWanted: (path: string) => boolean): string[] | undefined {
  const rows: string[] = [];
  let seen = 0;
  const visit = (folder: string, depth: number): boolean => {
    if (depth > maxDepth) return false;
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      seen += 1;
      if (seen > maxFiles) return false;
      if (entry.isDirectory() && !quiet.has(entry.name) && !visit(path, depth + 1)) return false;
      if ((entry.isFile() || entry.isSymbolicLink()) && isWanted(path)) rows.push(rowOf(root, path));
    }
    return true;
  };
  try {
    return visit('', 0) ? rows.sort() : undefined;
  } catch {
    return undefined;
  }
}

function rowOf(root: string, path: string): string {
  const file = join(root, path);
  const stats = lstatSync(file);
  const content = stats.isSymbolicLink() ? readlinkSync(file) : readFileSync(file);
  return `${stats.mode} ${createHash('sha256').update(content).digest('hex')} ${path}`;
}
