import type { ActionOutcome } from './action.ts';
import type { ProtectedResult } from './decision.ts';
import type { HookView } from './view.ts';

/** What happened, in a few words: `exit code 1`, `timed out after 30 s`. */
export function outcomeWords(outcome: ActionOutcome, duration = (ms: number): string => `${ms / 1000} s`): string {
  switch (outcome.kind) {
    case 'exited':
      return `exit code ${outcome.exitCode}`;
    case 'killed':
      return `killed by ${outcome.signal}`;
    case 'timed-out':
      return `timed out after ${duration(outcome.afterMs)}`;
    case 'cancelled':
      return 'cancelled';
    case 'not-started':
      return `could not start: ${outcome.reason}`;
    case 'replied':
      return `HTTP status ${outcome.status}`;
    case 'answered':
      return `answered ${outcome.action}`;
    case 'child-finished':
      return outcome.succeeded ? 'child pipeline succeeded' : 'child pipeline failed';
    case 'judged':
    case 'no-answer':
      return outcome.reason;
    case 'left-open':
      return `not asked: ${outcome.question}`;
    case 'ruled':
      return outcome.text;
  }
}

/** What a hook came to, in a table; some of the words may be foreign ones. */
export function resultWords({ status, verdict, decision, shadow, why = '', outcome }: HookView): string {
  if (status === 'skipped') return `skipped: ${why}`;
  if (status === 'detached') return 'not awaited';
  if (!verdict) return status;
  if (verdict.kind === 'passed') return 'passed';
  const isPerson = verdict.kind === 'failed' && outcome?.kind === 'answered';
  const failed = isPerson ? 'a person said no' : `failed (${shortOutcome(outcome)})`;
  const said = verdict.kind === 'failed' ? failed : saidWords[verdict.kind];
  if (shadow) return shadow.kind === 'proceed' ? said : `${said} -> would ${shadow.kind}`;
  return decision === undefined || decision.kind === 'proceed' ? said : `${said} -> ${decision.kind}`;
}

const saidWords = { rejected: 'said no', asked: 'asked for a person', stopped: 'said stop' } as const;

function shortOutcome({
  kind = '',
  exitCode,
  signal,
  afterMs,
  status,
}: Readonly<Record<string, unknown>> = {}): string {
  if (kind === 'exited') return `exit ${exitCode}`;
  if (kind === 'killed') return String(signal);
  if (kind === 'timed-out') return `timed out after ${shortDuration(Number(afterMs))}`;
  return kind === 'replied' ? `HTTP ${status}` : String(kind).replaceAll('-', ' ');
}

/** What was out of the ordinary about a run of a hook. */
export function hookMarks({ attempt, cause, attempts = 1, flaky, shadow, protect }: HookView): string {
  const again = attempt > 1 ? `attempt ${attempt}${cause ? ' (crash)' : ''}` : '';
  return joined(
    again,
    flaky === undefined ? '' : 'flaky',
    attempts > 1 ? `${attempts} tries` : '',
    shadow ? 'shadow' : '',
    protect ? protectWords(protect) : '',
  );
}

/** What of the protected files changed, and what became of that. */
export function protectWords({ changed, held, by }: ProtectedResult): string {
  const ends = {
    passed: 'passes with the originals too',
    refused: 'fails with the originals',
    accepted: `accepted ${by === undefined ? 'by a person' : byWords(by)}`,
  };
  return `protected: ${listed(changed, 3)} changed, ${ends[held]}`;
}

/** `12`, `12, 1 failed, 2 refused`. */
export const hookCounts = (counts: { hookRuns: number; hooksFailed: number; hooksRefused: number }): string =>
  joined(
    String(counts.hookRuns),
    counts.hooksFailed > 0 ? `${counts.hooksFailed} failed` : '',
    counts.hooksRefused > 0 ? `${counts.hooksRefused} refused` : '',
  );

const joined = (...words: readonly string[]): string => words.filter(word => word !== '').join(', ');

/** Why a stage ended; what is no word of ours stays as it is. */
export const stageReason = (reason: string): string => stageReasons.get(reason) ?? reason;

const stageReasons: ReadonlyMap<string, string> = new Map([
  ['max_iterations', 'all iterations done'],
  ['consensus', 'the agent agreed to stop'],
  ['judged', 'the judge said done'],
  ['queue_empty', 'no task left'],
]);

/** Who answered, as it stands in a sentence. Records of older versions begin with the word already. */
export const byWords = (by: string): string => (isPhrase.test(by) ? by : `by ${by}`);

/** No one's name is known there. */
const isPhrase = /^(by |with hookloop |(on the approval page|at the terminal)$)/;

/** A text on one line of at most so many characters, for where no terminal is measured. */
export function oneLine(text: string, maxLength: number): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd')
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 3)}...` : line;
}

/** The number of a checkpoint as it is shown: `003`. */
export const checkpointDigits = (n: number): string => String(n).padStart(3, '0');

/** `a, b and 3 more`. */
export const listed = (names: readonly string[], most: number): string =>
  names.length > most ? `${names.slice(0, most).join(', ')} and ${names.length - most} more` : names.join(', ');

/** `1 line`, `3 lines`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** How long something took: `0.4 s`, `12 s`, `3 min 05 s`, `1 h 02 min`. */
export function durationWords(ms: number): string {
  const tenths = Math.round(Math.max(0, ms) / 100);
  return tenths < 100 ? `${(tenths / 10).toFixed(1)} s` : wholeWords(Math.round(ms / 1000));
}

/** How long something has been going on, in whole seconds: tenths would never stand still. */
export const elapsedWords = (ms: number): string => wholeWords(Math.floor(Math.max(0, ms) / 1000));

function wholeWords(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor(seconds / 60) % 60)} min`;
}

/** A duration in a table: `0.4s`, `12s`, `3m05s`, `1h02m`, `2d03h`. */
export function shortDuration(ms: number): string {
  const hours = Math.floor(Math.round(ms / 1000) / 3600);
  if (hours >= 24) return `${Math.floor(hours / 24)}d${two(hours % 24)}h`;
  return durationWords(ms).replaceAll(' ', '').replace('min', 'm');
}

/** The time since the start at the head of a line: `00:12`, `1:02:03`. */
export function clock(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const hours = Math.floor(seconds / 3600);
  return `${hours > 0 ? `${hours}:` : ''}${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
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

/** A time to come, or one that has passed, as it is called now: `15:00`, `2026-08-25 15:00`, and where it is near `14:03:12`. */
export function momentWords(at: string, nowMs: number): string {
  const isNear = Math.abs(Date.parse(at) - nowMs) < 600_000;
  const time = isNear ? timeOf(at) : timeOf(at).slice(0, -3);
  return dayOf(at) === dayOf(new Date(nowMs).toISOString()) ? time : `${dayOf(at)} ${time}`;
}

/** The same with how long that is: `15:00 (in 1 h 12 min)`. */
export function untilWords(at: string, nowMs: number): string {
  const leftMs = Date.parse(at) - nowMs;
  return `${momentWords(at, nowMs)}${leftMs > 0 ? ` (in ${wholeWords(Math.ceil(leftMs / 1000))})` : ''}`;
}

/** Why a session is paused: `usage limit of claude: resets 3pm`. */
export const limitWords = ({ kind, agent, reason }: { kind: string; agent: string; reason: string }): string =>
  [
    kind === 'overload' ? `${agent} is overloaded` : `${kind} limit of ${agent}`,
    ...(reason === '' ? [] : [reason]),
  ].join(': ');

/** Until when and why: `until 15:00 (in 1 h 12 min): usage limit of claude: resets 3pm`. */
export const pauseWords = (
  paused: { until: string; kind: string; agent: string; reason: string },
  nowMs: number,
): string =>
  `until ${untilWords(paused.until, nowMs)}: ${limitWords({ ...paused, agent: /^[^:]*/.exec(paused.agent)![0] })}`;

/** That another agent works from now on. Without a reason the one that is wanted most is back. */
export const takeoverWords = ({
  agent,
  from,
  reason,
}: {
  agent: string;
  from: string;
  reason: string | undefined;
}): string =>
  reason === undefined ? `${agent} works again, after ${from}` : `${agent} takes over from ${from}: ${reason}`;

const two = (value: number): string => String(value).padStart(2, '0');

/** How a file's hooks stand: `changed`: trusted before, and different now. `removed`: trusted before, and without hooks now. */
export type TrustState = keyof typeof trustStateWords;

export const trustStateWords = {
  trusted: 'trusted',
  untrusted: 'not trusted yet',
  changed: 'changed since they were trusted',
  removed: 'gone since they were trusted',
} as const;

/** What a hook printed, or was answered. */
export function printedBy(outcome: ActionOutcome): string {
  if ('stdout' in outcome) return [outcome.stdout, outcome.stderr].filter(text => text !== '').join('\n');
  if (outcome.kind === 'replied') return outcome.body;
  return outcome.kind === 'child-finished' ? outcome.output : '';
}

/** Why an event or a session does not begin. */
export const brokenGate =
  'nothing was run: a hook file that has or may have gates contains errors (see hookloop check)';
