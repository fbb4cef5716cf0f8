import type { HookResult } from '../../model/index.ts';
import type { Delivery, SessionEntry, SessionRecord } from '../../model/record.ts';
import { formatKey, isInside, parseKey, partOf, wholesOf } from '../../model/step-key.ts';
import { isSettled, type TaskStore } from '../tasks.ts';

/** What a session has done before this process: all that it must not do again, and all that it still owes. */
export interface WorkDone {
  /** Values of finished work by its key. */
  done: Map<string, unknown>;
  hooks: Map<string, HookResult>;
  /** How often work was begun, also that which was never finished. */
  attempts: Map<string, number>;
  /** Keys of events that were told already. */
  told: Set<string>;
  pending: PendingText[];
  /** What the unfinished iteration has told the agent, by the key of the telling. */
  taken: Map<string, readonly PendingText[]>;
  /** Hooks that no one waits for, begun and not finished. */
  unawaited: Map<string, LeftHook>;
  /** Work that was done anew, and the run of the session from which on. */
  redone: Redone[];
  /** Keys since the last finished whole: only they are looked at when the next one is finished. */
  recent: string[];
}

export interface PendingText {
  seq: number;
  /** The hook's run that said it. */
  key: string;
  goesWith: Delivery;
  text: string;
}

export type LeftHook = Extract<SessionRecord, { kind: 'hook.started' }>;

export interface Redone {
  key: string;
  run: number;
}

export const newWork = (): WorkDone => ({
  done: new Map(),
  hooks: new Map(),
  attempts: new Map(),
  told: new Set(),
  pending: [],
  taken: new Map(),
  unawaited: new Map(),
  redone: [],
  recent: [],
});

/** What belongs to work that is finished as a whole is let go of. */
export function foldWork(work: WorkDone, entry: SessionEntry, tasks: TaskStore): void {
  take(work, entry);
  if ('key' in entry && entry.key !== undefined && !isForPeople(entry)) work.recent.push(entry.key);
  if (entry.kind === 'step.done') letGoInside(work, entry.key);
  if (entry.kind === 'session.resumed' && entry.again !== undefined) {
    work.redone.push({ key: entry.again, run: entry.run.number });
    forget(work, entry.again, tasks);
  }
}

/** Of the hooks that no one waits for and that were cut off, those that nothing comes past again. */
export const leftHooks = (work: WorkDone): LeftHook[] =>
  [...work.unawaited.values()].filter(({ key }) => isPast(work, key));

/** Nothing is done again for it, and an agent may do thousands of things in one turn. */
const isForPeople = ({ kind }: SessionEntry): boolean =>
  (kind.startsWith('agent.') && kind !== 'agent.told') || kind === 'file.changes' || kind === 'event.decided';

function take(work: WorkDone, entry: SessionEntry): void {
  switch (entry.kind) {
    case 'event':
      if (entry.key !== undefined) work.told.add(entry.key);
      break;
    case 'agent.told':
      work.told.add(entry.key);
      break;
    case 'step.started':
      work.attempts.set(entry.key, entry.attempt);
      break;
    case 'hook.started':
      work.attempts.set(entry.key, entry.attempt);
      if (entry.background) work.unawaited.set(entry.key, entry);
      break;
    case 'step.done':
      work.done.set(entry.key, entry.value);
      if (entry.pending) work.pending.push({ seq: entry.seq, key: entry.key, ...entry.pending });
      break;
    case 'hook.finished':
      work.hooks.set(entry.key, entry.result);
      work.unawaited.delete(entry.key);
      if (entry.pending) work.pending.push({ seq: entry.seq, key: entry.key, ...entry.pending });
      break;
    case 'pending.taken': {
      const isTaken = ({ seq, goesWith }: PendingText) => seq <= entry.upTo && entry.from.includes(goesWith);
      work.done.set(entry.key, entry.text);
      work.taken.set(entry.key, work.pending.filter(isTaken));
      work.pending = work.pending.filter(text => !isTaken(text));
      break;
    }
  }
}

/** A long session would else be looked through for each of its parts. */
function letGoInside(work: WorkDone, key: string): void {
  const { iteration, parts } = parseKey(key);
  // Failed work is done anew from the beginning of its iteration at the farthest.
  if (iteration !== undefined && parts.length === 0) work.taken.clear();
  const inside = work.recent.filter(other => isInside(other, key));
  if (inside.length === 0) return;
  for (const other of inside) if (!isUnawaited(work, other)) drop(work, other);
  work.attempts.delete(key);
  work.recent = work.recent.filter(other => !isInside(other, key) && other !== key);
}

/** Such a hook, or what it has kept. */
function isUnawaited({ unawaited }: WorkDone, key: string): boolean {
  if (unawaited.size === 0) return false;
  const { kept: _kept, ...run } = parseKey(key);
  return unawaited.has(formatKey(run));
}

/** The work it belongs to is done as a whole, or was asked for from outside: nothing fires its event again. */
function isPast({ done }: WorkDone, text: string): boolean {
  const key = parseKey(text);
  return key.run !== undefined || wholesOf(key).some(whole => done.has(whole));
}

/** Work that is done anew: it is told again what it was told from outside, and it is about the same task while that is open. */
function forget(work: WorkDone, key: string, tasks: TaskStore): void {
  const isOf = (other: string): boolean => other === key || isInside(other, key);
  const again = [...work.taken].filter(([taking]) => isOf(taking)).flatMap(([, texts]) => texts);
  work.pending = [...again, ...work.pending].filter(text => !isOf(text.key)).sort((a, b) => a.seq - b.seq);
  const known = [work.done, work.hooks, work.attempts].flatMap(map => [...map.keys()]);
  const part = (name: string): string => formatKey(partOf(parseKey(key), name));
  const task = work.done.get(part('task')) as { id: string } | null | undefined;
  const kept = [part('changing'), ...(task && !isSettled(tasks, task.id) ? [part('task')] : [])];
  for (const other of new Set([...known, ...work.told])) if (isOf(other) && !kept.includes(other)) drop(work, other);
  for (const other of work.unawaited.keys()) if (isOf(other)) work.unawaited.delete(other);
}

function drop({ done, hooks, attempts, told }: WorkDone, key: string): void {
  done.delete(key);
  hooks.delete(key);
  attempts.delete(key);
  told.delete(key);
}
