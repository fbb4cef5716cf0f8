import { type EventName, eventNames } from '../../model/index.ts';
import type { SessionRecord } from '../../model/record.ts';
import type { Entry } from '../journal/line.ts';
import { entryOf, type Field, fieldsOf, holdsAll } from './field.ts';
import { isKnownResult } from './known-result.ts';

export type KnownEntry = Entry<SessionRecord>;

/**
 * An entry as a record we know; undefined for kinds of a later version, and for what no version of ours has written: a
 * session's folder may come with a project that somebody else made.
 */
export function toKnown(entry: Entry<object>): KnownEntry | undefined {
  const shape = entryOf(shapes, (entry as { kind?: unknown }).kind);
  if (!shape || typeof entry.at !== 'string' || Number.isNaN(Date.parse(entry.at))) return undefined;
  return holdsAll(entry, shape) && isWordKnown(entry as KnownEntry) ? (entry as KnownEntry) : undefined;
}

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
  'pending.taken': fieldsOf('key:string'),
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

function isWordKnown(entry: KnownEntry): boolean {
  switch (entry.kind) {
    case 'session.started':
      return Array.isArray(entry.plan.stages) && entry.plan.stages.every(stage => holdsAll(stage, stageFields));
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
