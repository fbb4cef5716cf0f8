import { homedir } from 'node:os';
import { setImmediate as breathe } from 'node:timers/promises';
import { createLook } from '../hooks/discovery/look.ts';
import { loadApplyingHooks } from '../hooks/plan/compile.ts';
import { transcriptFormats } from '../hosts/transcript-formats.ts';
import type { HookDefinition, Places, Problem } from '../model/index.ts';
import { reasonOf } from '../platform/files.ts';
import { createPresentRules } from './backtest/present-rules.ts';
import { eventsOf } from './backtest/session-events.ts';
import { type Change, createTally, type Tally } from './backtest/tally.ts';
import { callsIn, type SkippedLines } from './backtest/transcript-calls.ts';
import { transcriptFiles, type Unread } from './backtest/transcript-files.ts';
import { createRootOfCall } from './backtest/whose-call.ts';
import type { Context } from './context.ts';
import { sessionsOf } from './sessions.ts';

interface BacktestRequest {
  /** Transcripts, and folders of them, instead of the sessions of the project and all that agents have written; absolute. */
  paths: readonly string[];
  /** Nothing that is older. */
  sinceMs?: number | undefined;
  /** Calls of every project. */
  all: boolean;
}

export interface Backtested {
  kind: 'tested';
  /** Tool calls, and other events of our own sessions; each once. */
  calls: number;
  events: number;
  /** Of the calls, those that would not have been made, or not without a person's yes. */
  stopped: number;
  asked: number;
  /** Of both, those that were refused or asked about at the time, too. */
  stoppedBefore: number;
  changed: readonly Change[];
  /** There are more than can be kept. */
  moreChanged: number;
  notRun: readonly { hook: HookDefinition; times: number }[];
  told: readonly { hook: HookDefinition; times: number }[];
  sessions: number;
  files: number;
  skipped: SkippedLines & { cut: number; elsewhere: number };
  unread: readonly Unread[];
  /** How many hooks could be asked. */
  rules: number;
  tookMs: number;
}

type BacktestEnd = Backtested | { kind: 'broken'; problems: readonly Problem[] };

const maxUnread = 100;

/** Asks the rules of a folder about what has happened. Nothing is run but hooks that are pure. */
export async function backtest(request: BacktestRequest, context: BacktestContext): Promise<BacktestEnd> {
  const loaded = loadApplyingHooks({ cwd: context.cwd, env: context.env, look: createLook() });
  const refusing = loaded.problems.filter(({ refuses }) => refuses);
  if (refusing.length > 0) return { kind: 'broken', problems: refusing };
  return backtestHooks(loaded.hooks, loaded.places, request, context);
}

export interface BacktestContext extends Context {
  signal: AbortSignal;
}

/** The same with hooks that need not stand in a file yet. */
export async function backtestHooks(
  hooks: readonly HookDefinition[],
  places: Places,
  { paths, sinceMs, all }: BacktestRequest,
  context: BacktestContext,
): Promise<Backtested> {
  const from = Date.now();
  const { env, mask, signal } = context;
  const rules = createPresentRules({ hooks, places, env, mask, signal });
  const tally = createTally(rules, signal);
  const unread: Unread[] = [];
  const onUnread = (one: Unread): void => void (unread.length < maxUnread && unread.push(one));
  if (paths.length === 0) await readSessions(tally, places.root, sinceMs, context);
  const home = env['HOME'] || homedir();
  const folders = paths.length > 0 ? paths : transcriptFormats.map(format => format.folder({ home, env }));
  const rootOf = createRootOfCall(places.root, all);
  for (const file of transcriptFiles({ paths: folders, sinceMs, onUnread })) {
    tally.counts.files += 1;
    try {
      for (const { event, line } of callsIn(file, tally.counts.skipped)) {
        if (signal.aborted) break;
        const root = rootOf(event.cwd);
        if (root === undefined) tally.passOver(event);
        else if (!isOlder(event.at, sinceMs)) await tally.call(event, root, { file, line });
      }
    } catch (error) {
      onUnread({ path: file, why: reasonOf(error) });
    }
    await breathe();
    if (signal.aborted) break;
  }
  return { kind: 'tested', ...tally.end(), unread, rules: hooks.length, tookMs: Date.now() - from };
}

const isOlder = (at: string | undefined, sinceMs: number | undefined): boolean =>
  sinceMs !== undefined && at !== undefined && Date.parse(at) < sinceMs;

async function readSessions(
  tally: Tally,
  root: string,
  sinceMs: number | undefined,
  { env, signal }: BacktestContext,
): Promise<void> {
  const { store } = sessionsOf(root, env);
  const read = async (name: string): Promise<void> => {
    tally.counts.sessions += 1;
    for await (const found of eventsOf(store, name)) {
      if (signal.aborted) return;
      if (!isOlder(found.at, sinceMs)) await tally.recorded(found, name, root);
    }
    for (const child of await store.children(name)) await read(child.name);
  };
  for (const { name, changedMs } of (await store.list()).toReversed())
    if (!signal.aborted && !(sinceMs !== undefined && (changedMs ?? 0) < sinceMs)) await read(name);
}
