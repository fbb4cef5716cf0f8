import type { LimitKind } from './agent.ts';
import { type ActionOutcome, type Decision, eventNames, type HookResult, type Verdict } from './index.ts';
import { limitUnits } from './limits.ts';
import type { SessionEntry, SessionRecord } from './record.ts';

/**
 * An entry as a record we know; undefined for kinds of a later version, and for what no version of ours has written: a
 * session's folder may come with a project that someone else made.
 */
export function toKnown(entry: { at?: unknown }): SessionEntry | undefined {
  if (typeof entry.at !== 'string' || Number.isNaN(Date.parse(entry.at))) return undefined;
  return isOneOf(records, 'kind', entry) ? (entry as SessionEntry) : undefined;
}

/** Something a value read from a file must hold. */
export interface Field {
  path: readonly string[];
  type: keyof typeof types;
  optional: boolean;
}

/** `path:type`, with `?` where it may be missing. */
export const fieldsOf = (...fields: readonly string[]): Field[] =>
  fields.map(text => {
    const [path, type] = text.split(':') as [string, string];
    return { path: path.split('.'), type: type.replace('?', '') as Field['type'], optional: type.endsWith('?') };
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
  return types[type](found);
}

/** The shapes that a value may have, by the word that says which it has. */
type Shapes<Word extends string> = Readonly<Record<Word, readonly Field[]>>;

/** Whether a value has the shape that it names in a field; what every object inherits is no shape. */
function isOneOf(shapes: Readonly<Record<string, readonly Field[]>>, by: string, value: unknown): boolean {
  const word = (value as Record<string, unknown>)[by];
  return typeof word === 'string' && Object.hasOwn(shapes, word) && holdsAll(value, shapes[word]!);
}

const isListOf = (value: unknown, fields: readonly Field[]): boolean =>
  Array.isArray(value) && value.every(item => holdsAll(item, fields));

const knownEvents: ReadonlySet<unknown> = new Set(eventNames);
const endings: ReadonlySet<unknown> = new Set(['completed', 'failed', 'stopped', 'interrupted']);
const stageFields = fieldsOf('id:string', 'termination:object');
const skippedFields = fieldsOf('hook:string', 'name:string', 'why:string');
const budgetFields = fieldsOf('scope:string', 'unit:budget-unit', 'spent:number', 'limit:number');
const taskFields = fieldsOf('id:string', 'content:string');

const limitFields = ['agent:string', 'limit:limit', 'until:time', 'reason:string'];
const units: ReadonlySet<unknown> = new Set(limitUnits);
const limits: ReadonlySet<unknown> = new Set<LimitKind>(['usage', 'rate', 'overload']);

/** What a value that is there has to be. */
const types = {
  string: value => typeof value === 'string',
  number: value => typeof value === 'number',
  object: value => typeof value === 'object',
  list: value => Array.isArray(value),
  event: value => knownEvents.has(value),
  ending: value => endings.has(value),
  limit: value => limits.has(value),
  'budget-unit': value => units.has(value),
  time: value => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  stages: value => isListOf(value, stageFields),
  tasks: value => isListOf(value, taskFields),
  skipped: value => isListOf(value, skippedFields),
  budgets: value => isListOf(value, budgetFields),
  // They become arguments of git.
  oid: value => typeof value === 'string' && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value),
  'checkpoint-ref': value => typeof value === 'string' && /^refs\/hookloop\/[A-Za-z0-9_-]{1,80}\/\d{3,9}$/.test(value),
  result: value => isOneOf(results, 'status', value),
  outcome: value => isOneOf(outcomes, 'kind', value),
  verdict: value => isOneOf(verdicts, 'kind', value),
  decision: value => isOneOf(decisions, 'kind', value),
} satisfies Record<string, (value: unknown) => boolean>;

/** Only what we look at is named. */
const records: Shapes<SessionRecord['kind']> = {
  'session.started': fieldsOf(
    ...['plan.name:string', 'plan.stages:stages', 'settings.agent:string', 'run.number:number', 'run.pid:number'],
  ),
  'session.resumed': fieldsOf('run.number:number', 'run.pid:number', 'again:string?'),
  event: fieldsOf(
    ...['key:string?', 'event.name:event', 'event.changedFiles:object?', 'event.extra:object?'],
    ...['iteration', 'maxIterations', 'score', 'target', 'spent', 'limit'].map(name => `event.${name}:number?`),
    ...['stage', 'nextStage', 'lastDecision', 'agent', 'error', 'status'].map(name => `event.${name}:string?`),
    ...['taskId', 'content', 'tool', 'file', 'title', 'question', 'evidence', 'reason', 'level', 'scope', 'unit'].map(
      name => `event.${name}:string?`,
    ),
  ),
  'step.started': fieldsOf('key:string', 'attempt:number'),
  'step.done': fieldsOf('key:string'),
  'hook.started': fieldsOf('key:string', 'hook:string', 'name:string', 'event:event', 'attempt:number'),
  'hook.finished': fieldsOf('key:string', 'hook:string', 'name:string', 'event:event', 'result:result'),
  'event.decided': fieldsOf('key:string', 'event:event', 'decision:decision', 'skipped:skipped'),
  'pending.taken': fieldsOf('key:string', 'upTo:number', 'from:list', 'text:string', 'hooks:object?'),
  'checkpoint.made': fieldsOf(
    ...['n:number', 'oid:oid', 'tree:oid', 'ref:checkpoint-ref', 'what:string', 'key:string?', 'branch:string?'],
    'head:oid?',
  ),
  'agent.prompt': fieldsOf('key:string', 'text:string', 'file:string?'),
  'agent.message': fieldsOf('key:string', 'text:string', 'file:string?'),
  'agent.tool': fieldsOf('key:string', 'id:string?', 'tool:string', 'status:string'),
  'agent.told': fieldsOf('key:string', 'text:string', 'hooks:object', 'file:string?'),
  'agent.usage': fieldsOf(
    ...['key:string', 'conversation:string', 'tokens:object?', 'tokens.input:number?', 'tokens.output:number?'],
    ...['contextUsed:number?', 'contextSize:number?', 'cost:object?', 'cost.amount:number?', 'cost.currency:string?'],
  ),
  'file.changes': fieldsOf('key:string', 'files:object'),
  'agent.limited': fieldsOf('key:string', 'attempt:number', ...limitFields),
  'agent.chosen': fieldsOf('key:string', 'agent:string', 'from:string?', 'reason:string?'),
  'pause.started': fieldsOf('key:string', ...limitFields),
  'pause.ended': fieldsOf('key:string'),
  'task.added': fieldsOf('id:string', 'content:string'),
  'task.started': fieldsOf('id:string'),
  'task.done': fieldsOf('id:string', 'summary:string?'),
  'task.dropped': fieldsOf('id:string', 'reason:string?'),
  'tasks.found': fieldsOf('ticked:list', 'after:object'),
  'tasks.listed': fieldsOf('tasks:tasks'),
  'task.passed': fieldsOf('id:string'),
  'task.refused': fieldsOf('id:string', 'text:string'),
  'task.reopened': fieldsOf('id:string'),
  'task.failed': fieldsOf('id:string', 'content:string?', 'reason:string', 'inRun:number'),
  'session.closed': fieldsOf('status:ending', 'reason:string?', 'budgets:budgets?'),
};

const results: Shapes<HookResult['status']> = {
  skipped: fieldsOf('why:string'),
  detached: [],
  finished: fieldsOf(
    ...['outcome:outcome', 'verdict:verdict', 'decision:decision', 'feedback:string?'],
    ...['attempts:number', 'durationMs:number', 'flaky:string?', 'shadow:decision?'],
    ...['files:string?', 'protect:object?', 'protect.changed:list?', 'protect.held:string?'],
  ),
};

const printed = [
  ...['stdout:string', 'stderr:string', 'truncated:object?'],
  ...['truncated.stdoutFile:string?', 'truncated.stderrFile:string?'],
];

const outcomes: Shapes<ActionOutcome['kind']> = {
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
  'left-open': fieldsOf('question:string'),
  ruled: fieldsOf('text:string'),
};

const reason = fieldsOf('reason:string');
const verdicts: Shapes<Verdict['kind']> = {
  passed: [],
  failed: reason,
  rejected: reason,
  asked: reason,
  stopped: reason,
};
const decisions: Shapes<Decision['kind']> = { proceed: [], revise: [], block: [], abort: [] };
