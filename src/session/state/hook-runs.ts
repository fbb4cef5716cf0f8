import { decisionIdOf, type Firings } from '../../model/decision-id.ts';
import type { HookResult } from '../../model/index.ts';
import type { HookSummary } from '../../model/notice.ts';
import type { SessionEntry } from '../../model/record.ts';
import type { HookView } from '../../model/view.ts';

/** The runs of a session's hooks: how often each ran, and every single one. */
export interface HookRuns {
  counts: { hookRuns: number; hooksFailed: number; hooksRefused: number };
  /** By id and name: after an edit of its file the same entry may be another hook. */
  sums: Map<string, HookSummary>;
  /** Those that have begun and not ended, by the key of the run. */
  open: Map<string, HookView>;
  firings: Firings;
  /** The decision that last refused something. */
  lastRefusal?: number;
  /** What hooks with `only_changed` looked at when they last passed; none where they have not passed since. */
  passedWith: Map<string, string>;
  /** With checks that were left out because they had passed. Absent for whoever works on the session: it would grow with every run. */
  all?: HookView[];
}

export const newHookRuns = (): HookRuns => ({
  counts: { hookRuns: 0, hooksFailed: 0, hooksRefused: 0 },
  sums: new Map(),
  open: new Map(),
  firings: new Map(),
  passedWith: new Map(),
  all: [],
});

type HookEntry = Extract<SessionEntry, { kind: 'hook.started' | 'hook.finished' }>;
type WhereHook = (key: string, event: string) => Pick<HookView, 'stage' | 'iteration'>;

/** Pairs the start and the end of each run by its key. */
export function foldHooks(runs: HookRuns, entry: SessionEntry, where: WhereHook): void {
  const id = decisionIdOf(runs.firings, entry) ?? 0;
  if (isRefusal(entry)) runs.lastRefusal = id;
  if (entry.kind === 'session.resumed') {
    for (const run of runs.open.values()) run.status = 'unfinished';
    runs.open.clear();
  } else if (entry.kind === 'hook.started') {
    const cutOff = runs.open.get(entry.key);
    if (cutOff) cutOff.status = 'unfinished';
    runs.open.set(entry.key, start(runs, entry, id, where));
  } else if (entry.kind === 'hook.finished') {
    const run = runs.open.get(entry.key) ?? start(runs, entry, id, where);
    runs.open.delete(entry.key);
    Object.assign(run, resultFields(entry.result));
    count(runs, entry);
    notePassed(runs, entry);
  } else if (entry.kind === 'event.decided') {
    noteLeftOut(runs, entry, id, where);
  }
}

function notePassed({ passedWith }: HookRuns, { hook, result }: Extract<HookEntry, { kind: 'hook.finished' }>): void {
  if (result.status !== 'finished') return;
  if (result.files !== undefined && result.verdict.kind === 'passed') passedWith.set(hook, result.files);
  else passedWith.delete(hook);
}

/** Checks that did not run because they had passed; where they ran they had their plain name. */
function noteLeftOut(
  { all }: HookRuns,
  { key, event, at, skipped }: Extract<SessionEntry, { kind: 'event.decided' }>,
  id: number,
  where: WhereHook,
): void {
  for (const { hook, name: named, why } of all ? skipped.filter(({ passed }) => passed) : []) {
    const name = all!.findLast(run => run.hook === hook)?.name ?? named;
    all!.push({ id, hook, name, event, ...where(key, event), status: 'skipped', why, attempt: 1, at });
  }
}

function start(runs: HookRuns, entry: HookEntry, id: number, where: WhereHook): HookView {
  const { key, hook, name, event, at } = entry;
  const run: HookView = {
    id,
    hook,
    name,
    event,
    ...where(key, event),
    status: 'running',
    attempt: entry.kind === 'hook.started' ? entry.attempt : 1,
    ...(entry.kind === 'hook.started' && entry.cause !== undefined && { cause: entry.cause }),
    at,
  };
  runs.all?.push(run);
  runs.counts.hookRuns += 1;
  return run;
}

function count(runs: HookRuns, { hook, name, event, result }: Extract<HookEntry, { kind: 'hook.finished' }>): void {
  if (result.status !== 'finished') return;
  const counted = countedAs(result);
  if (counted === 'refused') runs.counts.hooksRefused += 1;
  else if (counted === 'failed') runs.counts.hooksFailed += 1;
  const id = `${hook}\n${name}`;
  const sum: HookSummary = runs.sums.get(id) ?? { hook, name, event, runs: 0, failed: 0, refused: 0, totalMs: 0 };
  runs.sums.set(id, {
    ...sum,
    runs: sum.runs + 1,
    failed: sum.failed + (counted === 'failed' ? 1 : 0),
    refused: sum.refused + (counted === 'refused' ? 1 : 0),
    ...(result.shadow && result.shadow.kind !== 'proceed' && { wouldRefuse: (sum.wouldRefuse ?? 0) + 1 }),
    ...(result.flaky !== undefined && { flaky: (sum.flaky ?? 0) + 1 }),
    totalMs: sum.totalMs + result.durationMs,
  });
}

/** What the rules of the program refuse is no hook's result. */
function isRefusal(entry: SessionEntry): boolean {
  if (entry.kind === 'event.decided') return entry.decision.kind !== 'proceed';
  return entry.kind === 'hook.finished' && countedAs(entry.result) === 'refused';
}

/** What a run of a hook counts as, wherever runs are counted. A gate that broke has refused something: it counts once. One that only looks on counts for nothing. */
function countedAs(result: HookResult): 'failed' | 'refused' | undefined {
  if (result.status !== 'finished' || result.shadow) return undefined;
  if (result.decision.kind !== 'proceed') return 'refused';
  return result.verdict.kind === 'failed' ? 'failed' : undefined;
}

/** Every run as it is now; of a session that no one works on none is running. */
export const toHookViews = ({ all = [] }: HookRuns, isRunning: boolean): HookView[] =>
  isRunning ? all : all.map(one => (one.status === 'running' ? { ...one, status: 'unfinished' } : one));

/** Without what it printed: a view of many hooks stays small, and `log` has the texts. */
function resultFields(result: HookResult): Partial<HookView> {
  if (result.status === 'skipped') return { status: 'skipped', why: result.why };
  if (result.status !== 'finished') return { status: result.status };
  const { outcome, verdict, decision, shadow, flaky, protect, attempts, durationMs } = result;
  const facts = Object.entries(outcome).filter(([name]) => !texts.has(name));
  return {
    status: 'finished',
    outcome: Object.fromEntries(facts) as HookView['outcome'] & object,
    verdict,
    decision: { kind: decision.kind },
    ...(shadow && { shadow: { kind: shadow.kind } }),
    ...(flaky !== undefined && { flaky }),
    ...(protect && { protect }),
    durationMs,
    attempts,
  };
}

const texts = new Set(['stdout', 'stderr', 'truncated', 'body', 'output', 'response']);
