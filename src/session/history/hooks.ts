import type { HookResult } from '../../model/index.ts';
import { countedAs } from './counted.ts';
import type { KnownEntry } from './known-record.ts';
import type { HookView } from './view.ts';

export interface HookFold {
  add(entry: KnownEntry, where: WhereHook): void;
  view(isRunning: boolean): HookView[];
  counts(): { hookRuns: number; hooksFailed: number; hooksRefused: number };
}

export type WhereHook = (key: string, event: string) => { stage?: string; iteration?: number };

/** Pairs the start and the end of each run by its key. */
export function createHookFold(): HookFold {
  const all: HookView[] = [];
  const open = new Map<string, HookView>();
  const counts = { hookRuns: 0, hooksFailed: 0, hooksRefused: 0 };
  const start = (entry: HookEntry, where: WhereHook): HookView => {
    const { key, hook, name, event, at } = entry;
    const hookView: HookView = {
      hook,
      name,
      event,
      ...where(key, event),
      status: 'running',
      attempt: entry.kind === 'hook.started' ? entry.attempt : 1,
      ...(entry.kind === 'hook.started' && entry.cause !== undefined && { cause: entry.cause }),
      at,
    };
    all.push(hookView);
    counts.hookRuns += 1;
    return hookView;
  };
  const cutOff = (hookView: HookView | undefined): void => {
    if (hookView) hookView.status = 'unfinished';
  };
  return {
    add(entry, where) {
      if (entry.kind === 'session.resumed') {
        for (const hookView of open.values()) cutOff(hookView);
        open.clear();
      } else if (entry.kind === 'hook.started') {
        cutOff(open.get(entry.key));
        open.set(entry.key, start(entry, where));
      } else if (entry.kind === 'hook.finished') {
        const hookView = open.get(entry.key) ?? start(entry, where);
        open.delete(entry.key);
        Object.assign(hookView, resultFields(entry.result));
        const counted = countedAs(entry.result);
        if (counted === 'refused') counts.hooksRefused += 1;
        else if (counted === 'failed') counts.hooksFailed += 1;
      }
    },
    view: isRunning =>
      isRunning ? all : all.map(one => (one.status === 'running' ? { ...one, status: 'unfinished' } : one)),
    counts: () => counts,
  };
}

type HookEntry = Extract<KnownEntry, { kind: 'hook.started' | 'hook.finished' }>;

export const isRefusal = ({ decision }: HookView): boolean => decision !== undefined && decision.kind !== 'proceed';

/** Without what it printed: a view of many hooks stays small, and `log` has the texts. */
export function resultFields(result: HookResult): Partial<HookView> {
  if (result.status === 'skipped') return { status: 'skipped', why: result.why };
  if (result.status !== 'finished') return { status: result.status };
  const { outcome, verdict, decision, attempts, durationMs } = result;
  const facts = Object.entries(outcome).filter(([name]) => !texts.has(name));
  return {
    status: 'finished',
    outcome: Object.fromEntries(facts) as HookView['outcome'] & object,
    verdict,
    decision: { kind: decision.kind },
    durationMs,
    attempts,
  };
}

const texts = new Set(['stdout', 'stderr', 'truncated', 'body', 'output', 'response']);
