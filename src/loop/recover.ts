import type { HookResult } from '../model/index.ts';
import type { Delivery, RunMark, SessionRecord } from '../model/record.ts';
import type { Entry } from '../session/journal/line.ts';
import { foldTasks, isSettled, isTaskRecord, noTasks, type TaskRecord, type TaskStore } from '../session/tasks.ts';

export type SessionEntry = Entry<SessionRecord>;

export interface PendingText {
  seq: number;
  /** The hook's run that said it. */
  key: string;
  goesWith: Delivery;
  text: string;
}

/** What a session was before this process: all that it must not do again, and all that it still owes. */
export interface Recovered {
  started?: Extract<SessionRecord, { kind: 'session.started' }>;
  /** Absent where the last process did not get as far as closing it. */
  closed?: Extract<SessionRecord, { kind: 'session.closed' }>;
  /** How often it was closed. */
  closes: number;
  /** How often it has failed. */
  failures: number;
  runs: RunMark[];
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
  tasks: TaskStore;
  /** Hooks that nobody waits for, begun and not finished. */
  unawaited: Map<string, LeftHook>;
  /** Those of them that nothing comes past again. */
  left: LeftHook[];
}

export type LeftHook = Extract<SessionRecord, { kind: 'hook.started' }>;

/** Reads a journal into what it means. What belongs to work that is finished as a whole is let go of. */
export function recover(entries: readonly SessionEntry[]): Recovered {
  const found: Recovered = {
    closes: 0,
    failures: 0,
    runs: [],
    done: new Map(),
    hooks: new Map(),
    attempts: new Map(),
    told: new Set(),
    pending: [],
    taken: new Map(),
    tasks: noTasks,
    unawaited: new Map(),
    left: [],
  };
  const taskRecords: TaskRecord[] = [];
  let recent: string[] = [];
  for (const entry of entries) {
    if (isTaskRecord(entry)) {
      taskRecords.push(entry);
      continue;
    }
    take(found, entry);
    if ('key' in entry && entry.key !== undefined) recent.push(entry.key);
    if (entry.kind === 'step.done') recent = letGoInside(found, entry.key, recent);
    if (entry.kind === 'session.resumed' && entry.again !== undefined)
      forget(found, entry.again, foldTasks(taskRecords));
  }
  found.tasks = foldTasks(taskRecords);
  found.left = [...found.unawaited.values()].filter(({ key }) => isPast(found, key));
  return found;
}

function take(found: Recovered, entry: SessionEntry): void {
  switch (entry.kind) {
    case 'session.started':
      found.started = entry;
      found.runs.push(entry.run);
      break;
    case 'session.resumed':
      found.runs.push(entry.run);
      delete found.closed;
      break;
    case 'session.closed':
      found.closed = entry;
      found.closes += 1;
      if (entry.status === 'failed') found.failures += 1;
      break;
    case 'event':
      if (entry.key !== undefined) found.told.add(entry.key);
      break;
    case 'step.started':
      found.attempts.set(entry.key, entry.attempt);
      break;
    case 'hook.started':
      found.attempts.set(entry.key, entry.attempt);
      if (entry.background) found.unawaited.set(entry.key, entry);
      break;
    case 'step.done':
      found.done.set(entry.key, entry.value);
      if (entry.pending) found.pending.push({ seq: entry.seq, key: entry.key, ...entry.pending });
      break;
    case 'hook.finished':
      found.hooks.set(entry.key, entry.result);
      found.unawaited.delete(entry.key);
      if (entry.pending) found.pending.push({ seq: entry.seq, key: entry.key, ...entry.pending });
      break;
    case 'pending.taken': {
      const isTaken = ({ seq, goesWith }: PendingText) => seq <= entry.upTo && entry.from.includes(goesWith);
      found.done.set(entry.key, entry.text);
      found.taken.set(entry.key, found.pending.filter(isTaken));
      found.pending = found.pending.filter(text => !isTaken(text));
      break;
    }
  }
}

/** Only keys since the last finished whole are looked at: a long session would else be looked through for each of them. */
function letGoInside(found: Recovered, key: string, recent: readonly string[]): string[] {
  if (isIteration(key)) found.taken.clear();
  const inside = recent.filter(other => isInside(other, key));
  if (inside.length === 0) return [...recent];
  for (const other of inside) if (!isUnawaited(found, other)) drop(found, other);
  found.attempts.delete(key);
  return recent.filter(other => !isInside(other, key) && other !== key);
}

/** Such a hook, or what it has kept. */
const isUnawaited = ({ unawaited }: Recovered, key: string): boolean =>
  unawaited.has(key) || unawaited.has(key.replace(/\/kept$/, ''));

/** The work it belongs to is done as a whole, or was asked for from outside: nothing fires its event again. */
function isPast({ done }: Recovered, key: string): boolean {
  const [firing = ''] = key.split('#', 1);
  if (/^r\d+\//.test(firing)) return true;
  const parts = firing.split('/');
  return parts.some((_, at) => done.has(parts.slice(0, at + 1).join('/')));
}

/** Failed work is done anew from the beginning of its iteration at the farthest. */
const isIteration = (key: string): boolean => /^s\d+\/i\d+$/.test(key);

/** Work that is done anew: it is told again what it was told from outside, and it is about the same task while that is open. */
function forget(found: Recovered, key: string, tasks: TaskStore): void {
  const isOf = (other: string): boolean => other === key || isInside(other, key);
  const again = [...found.taken].filter(([taking]) => isOf(taking)).flatMap(([, texts]) => texts);
  found.pending = [...again, ...found.pending].filter(text => !isOf(text.key)).sort((a, b) => a.seq - b.seq);
  const known = [found.done, found.hooks, found.attempts].flatMap(map => [...map.keys()]);
  const task = found.done.get(`${key}/task`) as { id: string } | null | undefined;
  const kept = [`${key}/changing`, ...(task && !isSettled(tasks, task.id) ? [`${key}/task`] : [])];
  for (const other of new Set([...known, ...found.told])) if (isOf(other) && !kept.includes(other)) drop(found, other);
  for (const other of found.unawaited.keys()) if (isOf(other)) found.unawaited.delete(other);
}

const isInside = (key: string, outer: string): boolean => key.startsWith(`${outer}/`) || key.startsWith(`${outer}#`);

function drop({ done, hooks, attempts, told }: Recovered, key: string): void {
  done.delete(key);
  hooks.delete(key);
  attempts.delete(key);
  told.delete(key);
}
