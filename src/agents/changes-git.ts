import { spawn } from 'node:child_process';
import { onCancel } from '../actions/process/cancel.ts';
import { isQuietPath, type Listing, type Signature, signatureOf } from './changes-listing.ts';

export interface Repository {
  list(): Promise<Listing>;
  /** Files under the root in which two commits differ. */
  between(before: string | undefined, after: string | undefined): Promise<readonly string[]>;
}

/** The repository around a folder; undefined where there is none, or no git. `hurry` aborted: git may not take long any more. */
export async function openRepository(
  root: string,
  hurry: () => AbortSignal | undefined,
): Promise<Repository | undefined> {
  const prefix = await git(root, ['rev-parse', '--show-prefix'], hurry());
  if (prefix === undefined) return undefined;
  const inRoot = (path: string): string[] => {
    const from = prefix.replace(/\n$/, '');
    const inside = path.startsWith(from) ? path.slice(from.length) : '';
    return inside === '' || inside.endsWith('/') || isQuietPath(inside) ? [] : [inside];
  };
  return {
    async list() {
      const status = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--no-renames', '--', '.'];
      const text = await git(root, status, hurry());
      if (text === undefined) return { files: new Map(), isWhole: false, isBlind: true };
      const fields = text.split('\0');
      const head = fields.find(field => field.startsWith('# branch.oid '))?.slice('# branch.oid '.length);
      const files = new Map<string, Signature>();
      for (const path of fields.flatMap(changedPath).flatMap(inRoot)) files.set(path, signatureOf(root, path));
      return { files, isWhole: true, ...(head && /^[0-9a-f]+$/.test(head) && { head }) };
    },
    async between(before, after) {
      if (before === after || before === undefined || after === undefined) return [];
      const names = ['diff', '--name-only', '--no-renames', '-z', before, after, '--', '.'];
      const text = await git(root, names, hurry());
      return (text ?? '').split('\0').flatMap(inRoot);
    },
  };
}

/** `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`, `? path`. */
function changedPath(field: string): string[] {
  const spaces = { '1': 8, u: 10, '?': 1 }[field[0] ?? ''];
  if (spaces === undefined || field[1] !== ' ') return [];
  let at = 0;
  for (let passed = 0; passed < spaces; passed += 1) at = field.indexOf(' ', at) + 1;
  return [field.slice(at)];
}

const maxOutputBytes = 64 * 1024 * 1024;
const timeoutMs = 30_000;
/** How long git may still take once someone wants to stop: it mostly takes a few milliseconds, and it may hang. */
const hurryMs = 500;

/** What a project's own settings would have git run is not run: whoever may write `.git/config` must not gain by that. */
export const withoutPrograms: readonly string[] = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

/** Contract: never rejects; undefined where git is missing, says no or takes too long. */
const git = (cwd: string, args: readonly string[], hurry: AbortSignal | undefined): Promise<string | undefined> =>
  new Promise(resolve => {
    const options = { cwd, env: ownEnvironment(), detached: true, stdio: ['ignore', 'pipe', 'ignore'] as const };
    const child = spawn('git', [...withoutPrograms, ...args], { ...options, stdio: [...options.stdio] });
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (text: string | undefined): void => {
      for (const timer of timers) clearTimeout(timer);
      ignoreHurry?.();
      resolve(text);
    };
    const giveUp = (): void => {
      killGroup(child.pid);
      child.stdout.destroy();
      end(undefined);
    };
    const timers = [setTimeout(giveUp, timeoutMs)];
    const hasten = (): void => void timers.push(setTimeout(giveUp, hurryMs));
    const ignoreHurry = hurry && onCancel(hurry, hasten);
    if (hurry?.aborted) hasten();
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxOutputBytes) giveUp();
    });
    child.on('error', () => end(undefined));
    child.on('close', code => end(code === 0 ? Buffer.concat(chunks).toString() : undefined));
  });

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Started from a git hook we would otherwise look at another repository; and the agent's own git must not find the index locked. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, GIT_PREFIX, ...env } = process.env;
  return { ...env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
}
