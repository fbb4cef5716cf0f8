import {
  type ActionOutcome,
  type Decision,
  type EventName,
  eventNames,
  type HookResult,
  type Verdict,
} from './index.ts';
import type { SessionEntry, SessionRecord } from './record.ts';

/**
 * An entry as a record we know; undefined for kinds of a later version, and for what no version of ours has written: a
 * session's folder may come with a project that someone else made.
 */
export function toKnown(entry: { at?: unknown }): SessionEntry | undefined {
  const shape = entryOf(shapes, (entry as { kind?: unknown }).kind);
  if (!shape || typeof entry.at !== 'string' || Number.isNaN(Date.parse(entry.at))) return undefined;
  return holdsAll(entry, shape) && isWordKnown(entry as SessionEntry) ? (entry as SessionEntry) : undefined;
}

type Type = 'string' | 'number' | 'object';

/** Something a value read from a file must hold. */
export interface Field {
  path: readonly string[];
  type: Type;
  optional: boolean;
}

/** `path:type`, with `?` where it may be missing. */
export const fieldsOf = (...fields: readonly string[]): Field[] =>
  fields.map(text => {
    const [path, type] = text.split(':') as [string, string];
    return { path: path.split('.'), type: type.replace('?', '') as Type, optional: type.endsWith('?') };
  });

export const holdsAll = (value: unknown, fields: readonly Field[]): boolean =>
  fields.every(field => holds(value, field));

function holds(value: unknown, { path, type, optional }: Field): boolean {
  let found = value;
  for (const name of path) {
    if (found === undefined || found === null) break;
    found = Object.hasOwn(found, name) ? (found as Record<string, unknown>)[name] : undefined;
  }
  if (found === undefined || found === null) return optional && found === undefined;
  return typeof found === type;
}

/** The entry of a table under a foreign name; what every object inherits does not count. */
export const entryOf = <T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined =>
  typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;

/** Only what we look at is named. */
const shapes: Readonly<Record<SessionRecord['kind'], readonly Field[]>> = {
  'session.started': fieldsOf(
    ...['plan.name:string', 'plan.stages:object', 'settings.agent:string', 'run.number:number', 'run.pid:number'],
  ),
  'session.resumed': fieldsOf('run.number:number', 'run.pid:number', 'again:string?'),
  event: fieldsOf(
    ...['key:string?', 'event.name:string', 'event.changedFiles:object?', 'event.extra:object?'],
    ...['iteration', 'maxIterations', 'score', 'target'].map(name => `event.${name}:number?`),
    ...['stage', 'nextStage', 'lastDecision', 'agent', 'error', 'status'].map(name => `event.${name}:string?`),
    ...['taskId', 'content', 'tool', 'file', 'title', 'question'].map(name => `event.${name}:string?`),
  ),
  'step.started': fieldsOf('key:string', 'attempt:number'),
  'step.done': fieldsOf('key:string'),
  'hook.started': fieldsOf('key:string', 'hook:string', 'name:string', 'event:string', 'attempt:number'),
  'hook.finished': fieldsOf('key:string', 'hook:string', 'name:string', 'event:string', 'result.status:string'),
  'pending.taken': fieldsOf('key:string', 'upTo:number', 'from:object', 'text:string', 'hooks:object?'),
  'agent.prompt': fieldsOf('key:string', 'text:string', 'file:string?'),
  'agent.message': fieldsOf('key:string', 'text:string', 'file:string?'),
  'agent.tool': fieldsOf('key:string', 'id:string?', 'tool:string', 'status:string'),
  'agent.told': fieldsOf('key:string', 'text:string', 'hooks:object', 'file:string?'),
  'agent.usage': fieldsOf(
    ...['key:string', 'conversation:string', 'tokens:object?', 'tokens.input:number?', 'tokens.output:number?'],
    ...['contextUsed:number?', 'contextSize:number?', 'cost:object?', 'cost.amount:number?', 'cost.currency:string?'],
  ),
  'file.changes': fieldsOf('key:string', 'files:object'),
  'task.added': fieldsOf('id:string', 'content:string'),
  'task.started': fieldsOf('id:string'),
  'task.done': fieldsOf('id:string', 'summary:string?'),
  'task.dropped': fieldsOf('id:string', 'reason:string?'),
  'tasks.found': fieldsOf('ticked:object', 'after:object'),
  'tasks.listed': fieldsOf('tasks:object'),
  'task.passed': fieldsOf('id:string'),
  'task.refused': fieldsOf('id:string', 'text:string'),
  'task.reopened': fieldsOf('id:string'),
  'task.failed': fieldsOf('id:string', 'reason:string', 'inRun:number'),
  'session.closed': fieldsOf('status:string', 'reason:string?'),
};

const listedFields = fieldsOf('id:string', 'content:string');
const stageFields = fieldsOf('id:string', 'termination:object');
const endings: readonly string[] = ['completed', 'failed', 'interrupted'];
const knownEvents: ReadonlySet<EventName> = new Set(eventNames);

function isWordKnown(entry: SessionEntry): boolean {
  switch (entry.kind) {
    case 'session.started':
      return Array.isArray(entry.plan.stages) && entry.plan.stages.every(stage => holdsAll(stage, stageFields));
    case 'pending.taken':
      return Array.isArray(entry.from);
    case 'tasks.found':
      return Array.isArray(entry.ticked);
    case 'tasks.listed':
      return Array.isArray(entry.tasks) && entry.tasks.every(task => holdsAll(task, listedFields));
    case 'session.closed':
      return endings.includes(entry.status);
    case 'event':
      return knownEvents.has(entry.event.name);
    case 'hook.started':
      return knownEvents.has(entry.event);
    case 'hook.finished':
      return knownEvents.has(entry.event) && isKnownResult(entry.result);
    default:
      return true;
  }
}

/** Whether a result read from a file is one that we know how to tell. */
function isKnownResult(result: HookResult): boolean {
  if (result.status === 'skipped') return typeof result.why === 'string';
  if (result.status !== 'finished') return result.status === 'detached';
  if (!holdsAll(result, finishedFields)) return false;
  const { outcome, verdict, decision } = result;
  const outcomeFields = entryOf(outcomes, outcome.kind);
  return (
    outcomeFields !== undefined &&
    holdsAll(outcome, outcomeFields) &&
    holdsAll(verdict, entryOf(verdicts, verdict.kind) ?? never) &&
    entryOf(decisions, decision.kind) !== undefined
  );
}

const finishedFields = fieldsOf(
  ...['outcome.kind:string', 'verdict.kind:string', 'decision.kind:string', 'feedback:string?'],
  ...['attempts:number', 'durationMs:number'],
);

const printed = [
  ...['stdout:string', 'stderr:string', 'truncated:object?'],
  ...['truncated.stdoutFile:string?', 'truncated.stderrFile:string?'],
];

const outcomes: Readonly<Record<ActionOutcome['kind'], readonly Field[]>> = {
  exited: fieldsOf('exitCode:number', ...printed),
  killed: fieldsOf('signal:string', ...printed),
  'timed-out': fieldsOf('afterMs:number', ...printed),
  cancelled: [],
  'not-started': fieldsOf('reason:string'),
  replied: fieldsOf('status:number', 'body:string'),
  answered: fieldsOf('action:string', 'message:string', 'by:string?', 'at:string?'),
  'child-finished': fieldsOf('output:string'),
  judged: fieldsOf('reason:string'),
  'no-answer': fieldsOf('reason:string'),
};

const reason = fieldsOf('reason:string');
const never = fieldsOf('no such verdict:string');
const verdicts: Readonly<Record<Verdict['kind'], readonly Field[]>> = {
  passed: [],
  failed: reason,
  rejected: reason,
  asked: reason,
  stopped: reason,
};
const decisions: Readonly<Record<Decision['kind'], true>> = { proceed: true, revise: true, block: true, abort: true };
