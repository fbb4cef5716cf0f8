import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../workspace/git.ts';

/** Files of a project at one moment. In a repository only those that differ from its last commit. */
export interface Listing {
  files: Map<string, Signature>;
  /** The commit the files are compared with. */
  head?: string | undefined;
  /** False where a limit cut it short: a missing file says nothing then. */
  isWhole: boolean;
  /** Nothing could be seen. */
  isBlind?: true;
}

/** What a file looked like. */
export interface Signature {
  text: string;
  changedMs: number;
  /** Of a file so young that a later change may leave the text as it is. */
  content?: string | undefined;
}

/** `before`: files in which the present commit differs from that one are listed too. */
export type List = (before?: string) => Promise<Listing>;

/** Lists by git where there is a repository, else by the times of files. `hurry` aborted: git may not take long any more. */
export async function openListing(root: string, hurry: () => AbortSignal | undefined): Promise<List> {
  const prefix = await listed(root, ['rev-parse', '--show-prefix'], hurry());
  if (prefix === undefined) return () => walk(root);
  const inRoot = (path: string): string[] => {
    const from = prefix.replace(/\n$/, '');
    const inside = path.startsWith(from) ? path.slice(from.length) : '';
    return inside === '' || inside.endsWith('/') || inside.split('/').some(isQuiet) ? [] : [inside];
  };
  return async before => {
    const status = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--no-renames', '--', '.'];
    const text = await listed(root, status, hurry());
    if (text === undefined) return { files: new Map(), isWhole: false, isBlind: true };
    const fields = text.split('\0');
    const head = fields.map(field => /^# branch\.oid ([0-9a-f]+)$/.exec(field)?.[1]).find(oid => oid !== undefined);
    const isMoved = before !== undefined && head !== undefined && before !== head;
    const names = isMoved ? ['diff', '--name-only', '--no-renames', '-z', before, head, '--', '.'] : undefined;
    const moved = names ? ((await listed(root, names, hurry())) ?? '').split('\0') : [];
    const paths = [...fields.flatMap(changedPath), ...moved].flatMap(inRoot);
    return { files: new Map(paths.map(path => [path, signatureOf(root, path)])), isWhole: true, head };
  };
}

/** What has changed since the last commit, for an agent to read: git's own summary, and new files. Empty outside of a repository. */
export async function diffStat(root: string, hurry: AbortSignal): Promise<string> {
  const stat = await listed(root, ['diff', '--stat=100', '--no-ext-diff', '--no-textconv', 'HEAD', '--', '.'], hurry);
  const others = await listed(root, ['ls-files', '--others', '--exclude-standard', '-z', '--', '.'], hurry);
  const added = (others ?? '').split('\0').filter(path => path !== '' && !path.split('/').some(isQuiet));
  const lines = added.slice(0, maxAdded).map(path => ` ${JSON.stringify(path).slice(1, -1)} (new)`);
  const more = added.length > maxAdded ? [` and ${added.length - maxAdded} more new files`] : [];
  return [stat?.replace(/\n$/, '') ?? '', ...lines, ...more].filter(line => line !== '').join('\n');
}

const maxAdded = 30;

/** `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`, `? path`. */
function changedPath(field: string): string[] {
  const spaces = { '1': 8, u: 10, '?': 1 }[field[0] ?? ''];
  return spaces === undefined || field[1] !== ' ' ? [] : [field.split(' ').slice(spaces).join(' ')];
}

const timeoutMs = 30_000;

/** Contract: never rejects; undefined where git is missing, says no or takes too long. */
async function listed(
  cwd: string,
  args: readonly string[],
  stop: AbortSignal | undefined,
): Promise<string | undefined> {
  const answer = await git(cwd, args, { stop, timeoutMs });
  return answer.kind === 'done' ? answer.bytes.toString() : undefined;
}

const maxFiles = 20_000;
const maxDepth = 16;

/** Every file under the root, by the times the file system keeps. Links are not followed. */
async function walk(root: string): Promise<Listing> {
  const files = new Map<string, Signature>();
  let isWhole = true;
  const visit = async (folder: string, depth: number): Promise<void> => {
    if (depth > maxDepth || files.size >= maxFiles) {
      isWhole = false;
      return;
    }
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    const inside = entries.filter(entry => !isQuiet(entry.name));
    await Promise.all(
      inside
        .filter(entry => !entry.isDirectory())
        .map(async ({ name }) => {
          const path = join(folder, name);
          const stats = await lstat(join(root, path)).catch(() => undefined);
          if (stats) files.set(path, toSignature(stats, join(root, path)));
        }),
    );
    for (const entry of inside) if (entry.isDirectory()) await visit(join(folder, entry.name), depth + 1);
  };
  await visit('', 0);
  return { files, isWhole };
}

/** No one wants to hear of an edit in these. */
const quietFolders = new Set(['node_modules', '.git', '.hookloop']);
const isQuiet = (name: string): boolean => quietFolders.has(name);

export function signatureOf(root: string, path: string): Signature {
  try {
    const file = join(root, path);
    return toSignature(lstatSync(file), file);
  } catch {
    return { text: 'gone', changedMs: 0 };
  }
}

/** The kernel stamps files with a clock that goes in steps of some milliseconds, and is that much behind. */
export const clockStepMs = 20;

function toSignature({ ino, size, mtimeMs, ctimeMs }: Stats, file: string): Signature {
  const isYoung = Date.now() - ctimeMs < clockStepMs;
  return {
    text: `${ino}:${size}:${mtimeMs}:${ctimeMs}`,
    changedMs: Math.max(mtimeMs, ctimeMs),
    ...(isYoung && { content: contentOf(file) }),
  };
}

/** Whether no one has touched the file since it looked like this. */
export function isUntouched(root: string, path: string, then: Signature, now = signatureOf(root, path)): boolean {
  if (then.text !== now.text) return false;
  return then.content === undefined || then.content === (now.content ?? contentOf(join(root, path)));
}

/** A larger file is not written anew within a step of the clock. */
const maxReadBytes = 4 * 1024 * 1024;

function contentOf(file: string): string {
  try {
    const stats = lstatSync(file);
    if (stats.isSymbolicLink()) return readlinkSync(file);
    if (!stats.isFile() || stats.size > maxReadBytes) return '';
    return createHash('sha1').update(readFileSync(file)).digest('hex');
  } catch {
    return 'gone';
  }
}
