import { isRefusal } from '../state/hook-runs.ts';
import type { HookView, SessionBrief } from '../state/view.ts';

/** A duration in a table: `0.4s`, `12s`, `3m05s`, `1h02m`, `2d03h`. */
export function shortDuration(ms: number): string {
  if (ms < 9950) return `${(Math.max(0, ms) / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours}h${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d${two(hours % 24)}h`;
}

/** How long ago something was; from a day on, its date. */
export function whenWords(at: string | undefined, nowMs: number): string {
  if (at === undefined) return '';
  const minutes = Math.floor((nowMs - Date.parse(at)) / 60_000);
  if (minutes < 0 || minutes >= 24 * 60) return dayOf(at);
  if (minutes === 0) return 'just now';
  return minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`;
}

/** Local time: `2026-08-24`, and `14:03:12`. */
export function dayOf(at: string): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function timeOf(at: string): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

const two = (value: number): string => String(value).padStart(2, '0');

/** `12`, `12, 1 failed, 2 refused`. */
export const hookCounts = ({ hookRuns, hooksFailed, hooksRefused }: SessionBrief): string =>
  [String(hookRuns), hooksFailed > 0 ? `${hooksFailed} failed` : '', hooksRefused > 0 ? `${hooksRefused} refused` : '']
    .filter(word => word !== '')
    .join(', ');

/** What a hook came to, in a few words; some of them may be foreign ones. */
export function resultWords(hook: HookView): string {
  const { status, verdict, decision, why = '' } = hook;
  if (status === 'skipped') return `skipped: ${why}`;
  if (status === 'detached') return 'not awaited';
  if (!verdict) return status;
  if (verdict.kind === 'passed') return 'passed';
  const said = verdict.kind === 'failed' ? `failed (${outcomeWords(hook)})` : saidWords[verdict.kind];
  return isRefusal(hook) ? `${said} -> ${decision!.kind}` : (said ?? String(verdict.kind));
}

const saidWords: Readonly<Record<string, string>> = {
  rejected: 'said no',
  asked: 'asked for a person',
  stopped: 'said stop',
};

function outcomeWords({ outcome }: HookView): string {
  const { kind = '', exitCode, signal, afterMs, status } = (outcome ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === 'exited') return `exit ${exitCode}`;
  if (kind === 'killed') return String(signal);
  if (kind === 'timed-out') return `timed out after ${shortDuration(Number(afterMs))}`;
  return kind === 'replied' ? `HTTP ${status}` : String(kind).replaceAll('-', ' ');
}

/** What was out of the ordinary about a run. */
export function hookMarks({ attempt, cause, attempts = 1 }: HookView): string {
  const again = attempt > 1 ? `attempt ${attempt}${cause ? ' (crash)' : ''}` : '';
  return [again, attempts > 1 ? `${attempts} tries` : ''].filter(word => word !== '').join(', ');
}

/** Why a stage ended, in the words of the summary at the end of a run. */
export const stageReasons: Readonly<Record<string, string>> = {
  max_iterations: 'all iterations done',
  consensus: 'the agent agreed to stop',
  judged: 'the judge said done',
  queue_empty: 'no task left',
};
