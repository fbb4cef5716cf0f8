import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { createMark, markedEnv, stopProcesses } from '../actions/process/stop.ts';
import { onCancel } from '../platform/cancel.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface GitCall {
  /** The environment; this process's own where it is not given. Variables that point git elsewhere are left out. */
  env?: Env | undefined;
  /** Put on top of it, such as GIT_INDEX_FILE. */
  variables?: Env;
  /** On top of the repository's own, such as `core.safecrlf=false`. */
  settings?: readonly string[];
  input?: string | Buffer;
  timeoutMs?: number;
  /** When all of it must be over, by `performance.now()`: for several calls that are one piece of work. */
  deadlineMs?: number | undefined;
  /** Once it is aborted git may take a moment more, and no longer. */
  stop?: AbortSignal | undefined;
  /** What the repository's own settings name is run too: its hooks, for a commit that is the user's. */
  withPrograms?: boolean;
}

export type GitAnswer =
  /** `text` is without the line end. */
  | { kind: 'done'; bytes: Buffer; text: string }
  /** It said no, in its own words. */
  | { kind: 'refused'; code: number; why: string; text: string }
  /** It is missing, took too long, was stopped or said too much. */
  | { kind: 'failed'; why: string };

/** The same with another index than the user's. */
export const withIndex = (call: GitCall, index: string): GitCall => ({
  ...call,
  variables: { ...call.variables, GIT_INDEX_FILE: index },
});

/** Runs git. Contract: never rejects, starts no program of the repository unless asked to, and leaves no process behind. */
export const git = (cwd: string, args: readonly string[], call: GitCall = {}): Promise<GitAnswer> =>
  new Promise(resolve => {
    const mark = createMark();
    const settings = [...(call.withPrograms ? [] : ownSettings), ...(call.settings ?? [])];
    const child = spawn('git', withSettings(settings, args), {
      cwd,
      env: markedEnv({ ...gitEnvironment(call.env ?? process.env), ...call.variables }, mark),
      detached: true,
      stdio: [call.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    const said: Buffer[] = [];
    let [bytes, saidBytes] = [0, 0];
    const end = (answer: GitAnswer): void => {
      for (const timer of timers) clearTimeout(timer);
      ignoreStop?.();
      resolve(answer);
    };
    const giveUp = (why: string): void => {
      void stopProcesses({ ...(child.pid !== undefined && { group: child.pid }), mark }, 0);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      end({ kind: 'failed', why });
    };
    const leftMs = Math.max(0, (call.deadlineMs ?? Number.POSITIVE_INFINITY) - performance.now());
    const timeoutMs = Math.round(Math.min(call.timeoutMs ?? gitTimeoutMs, leftMs));
    const name = `git ${args.find(arg => /^[a-z][a-z-]*$/.test(arg)) ?? ''}`.trim();
    const timers = [
      setTimeout(() => giveUp(`${name} took longer than ${Number((timeoutMs / 1000).toFixed(1))} s`), timeoutMs),
    ];
    const hasten = (): void => void timers.push(setTimeout(() => giveUp(`${name} was stopped`), hurryMs));
    const ignoreStop = call.stop && onCancel(call.stop, hasten);
    if (call.stop?.aborted) hasten();
    child.stdout!.on('data', (chunk: Buffer) => {
      out.push(chunk);
      bytes += chunk.length;
      if (bytes > maxOutputBytes) giveUp(`${name} printed more than ${maxOutputBytes / 1024 / 1024} MB`);
    });
    child.stderr!.on('data', (chunk: Buffer) => {
      if (saidBytes < maxSaidBytes) said.push(chunk);
      saidBytes += chunk.length;
    });
    // Git may end without having read everything.
    child.stdin?.on('error', () => {});
    child.stdin?.end(call.input);
    child.on('error', error => end({ kind: 'failed', why: `git cannot be started: ${error.message}` }));
    child.on('close', (code, signal) => {
      const all = Buffer.concat(out);
      const text = all.toString().replace(/\n$/, '');
      if (code === 0) return end({ kind: 'done', bytes: all, text });
      const why = Buffer.concat(said).toString().trim();
      if (code === null) return end({ kind: 'failed', why: `${name} was ended by ${signal}` });
      end({ kind: 'refused', code, why: why || `${name} ended with ${code}`, text });
    });
  });

/** How long git may take in any case. */
export const gitTimeoutMs = 60_000;
/** How long it may still take once someone wants to stop: it mostly takes a few milliseconds, and it may hang. */
const hurryMs = 500;
const maxOutputBytes = 64 * 1024 * 1024;
const maxSaidBytes = 256 * 1024;

/**
 * What a project's own settings would have git run is not run, and no file that was changed counts as it was because of a
 * time put back: whoever may write `.git/config` must not gain by that.
 */
const ownSettings = [
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null'],
  ...['core.checkStat=default', 'core.trustctime=true'],
];

const withSettings = (settings: readonly string[], args: readonly string[]): string[] => [
  ...settings.flatMap(setting => ['-c', setting]),
  ...args,
];

/** Runs git for a question that cannot wait. */
export const gitAtOnce = (cwd: string, args: readonly string[]): SpawnSyncReturns<string> =>
  spawnSync('git', withSettings(ownSettings, args), {
    ...{ cwd, encoding: 'utf8', timeout: atOnceMs },
    env: gitEnvironment(process.env),
  });

const atOnceMs = 5000;

/** Started from a git hook we would otherwise look at another repository; and the agent's own git must not find the index locked. */
function gitEnvironment(environment: Env): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !pointsElsewhere.has(name));
  return { ...Object.fromEntries(kept), ...ourVariables };
}

/** An object is what its name says, whatever `git replace` has put in its place. */
const ourVariables: Env = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  LC_ALL: 'C',
};

const pointsElsewhere = new Set([
  ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_COMMON_DIR', 'GIT_NAMESPACE'],
  ...['GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_EXTERNAL_DIFF', 'GIT_DIFF_OPTS'],
  ...['GIT_LITERAL_PATHSPECS', 'GIT_GLOB_PATHSPECS', 'GIT_NOGLOB_PATHSPECS', 'GIT_ICASE_PATHSPECS'],
]);
