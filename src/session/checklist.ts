import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { readRegularFile } from '../platform/files.ts';

/** A task of a Markdown checklist. */
export interface ChecklistTask {
  /** Stays the same while its own text does, whatever happens to the lines around it. */
  id: string;
  content: string;
  /** The indented lines below it. */
  details: readonly string[];
  ticked: boolean;
  /** From 1. */
  line: number;
}

export type Checklist = { kind: 'checklist'; tasks: readonly ChecklistTask[] } | { kind: 'unreadable'; reason: string };

const maxChecklistBytes = 16 * 1024 * 1024;

/** Read anew on every look: the agent edits it. */
export function readChecklist(path: string): Checklist {
  const found = readRegularFile(path, maxChecklistBytes);
  if (found.kind === 'bytes') return { kind: 'checklist', tasks: parseChecklist(found.bytes.toString()) };
  return { kind: 'unreadable', reason: `${path} ${found.kind === 'absent' ? 'does not exist' : found.reason}` };
}

/** Lines like `- [ ] text` that begin in the first column. Examples in code blocks and comments are no tasks. */
export function parseChecklist(text: string): ChecklistTask[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const isExample = exampleLines(lines);
  const tasks: ChecklistTask[] = [];
  const timesSeen = new Map<string, number>();
  let details: string[] = [];
  for (const [index, line] of lines.entries()) {
    const item = isExample[index] ? null : taskLine.exec(line);
    if (item) {
      const hash = hashOf(item[2]!);
      const times = (timesSeen.get(hash) ?? 0) + 1;
      timesSeen.set(hash, times);
      details = [];
      const id = times === 1 ? hash : `${hash}-${times}`;
      tasks.push({ id, content: item[2]!.trim(), details, ticked: item[1] !== ' ', line: index + 1 });
    } else if (/^\s|^$/.test(line)) details.push(line);
    else details = [];
  }
  return tasks.map(task => ({ ...task, details: trimBlank(task.details) }));
}

/**
 * Ticks or unticks the box of one task. One byte changes in its place: the file keeps its mode, its links and whatever
 * someone writes to other lines. Returns why it could not be done.
 */
export function setBox(path: string, id: string, ticked: boolean): string | undefined {
  try {
    const fd = openSync(path, 'r+');
    try {
      const bytes = readFileSync(fd);
      const task = parseChecklist(bytes.toString()).find(listed => listed.id === id);
      if (!task) return `task ${id} is not in ${path}`;
      if (task.ticked !== ticked) writeSync(fd, ticked ? 'x' : ' ', boxOffset(bytes, task.line));
      return undefined;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return `${path} cannot be written: ${(error as Error).message}`;
  }
}

function boxOffset(bytes: Buffer, line: number): number {
  let start = 0;
  for (let at = 1; at < line; at += 1) start = bytes.indexOf(0x0a, start) + 1;
  return bytes.indexOf('[', start) + 1;
}

export const untickedCount = (tasks: readonly ChecklistTask[]): number => tasks.filter(task => !task.ticked).length;

/**
 * Those tasks that were in the list before and are in it no longer. One that is reworded is still there: between those
 * around it stands a task that was not in the list. Such a new one stands for one of those that are gone from its place.
 */
export function lostTasks(
  tasks: readonly ChecklistTask[],
  ids: readonly string[],
  before: readonly string[],
): readonly string[] {
  const now = tasks.map(task => task.id);
  const isThere = new Set(now);
  const wasThere = new Set(before);
  const wordedAnew = new Map<string, number>();
  return ids.filter(id => {
    if (isThere.has(id) || !wasThere.has(id)) return false;
    const [from, until] = gapAround(now, before, id);
    const isNew = (other: string): boolean => !wasThere.has(textOf(other));
    const left = wordedAnew.get(`${from}-${until}`) ?? now.slice(from, until).filter(isNew).length;
    wordedAnew.set(`${from}-${until}`, left - 1);
    return left <= 0;
  });
}

/** Where the task would stand by those that stood around it: from, and until. */
function gapAround(now: readonly string[], before: readonly string[], id: string): readonly [number, number] {
  const at = before.indexOf(id);
  const above = before.slice(0, at).findLast(other => now.includes(other));
  const below = before.slice(at + 1).find(other => now.includes(other));
  return [above === undefined ? 0 : now.indexOf(above) + 1, below === undefined ? now.length : now.indexOf(below)];
}

/** Tasks of the same text have ids that differ in their number. A copy of another task is no new wording. */
export const textOf = (id: string): string => id.replace(/-\d+$/, '');

const taskLine = /^(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]+(\S.*)$/;

/** Spaces do not count: a formatter may change them. */
const hashOf = (content: string): string =>
  `c${createHash('sha256').update(content.trim().replaceAll(/\s+/g, ' ')).digest('hex').slice(0, 10)}`;

/** A block that is never closed hides nothing: better one task too many than an open one overlooked. */
function exampleLines(lines: readonly string[]): readonly boolean[] {
  const isExample = lines.map(() => false);
  let open: { from: number; closes(line: string): boolean } | undefined;
  for (const [index, line] of lines.entries()) {
    if (!open) open = blockFrom(line, index);
    else if (open.closes(line)) {
      isExample.fill(true, open.from, index + 1);
      open = undefined;
    }
  }
  return isExample;
}

function blockFrom(line: string, from: number): { from: number; closes(line: string): boolean } | undefined {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (fence !== undefined) {
    const closing = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}[ \\t]*$`);
    return { from, closes: later => closing.test(later) };
  }
  return /^ {0,3}<!--(?!.*-->)/.test(line) ? { from, closes: later => later.includes('-->') } : undefined;
}

function trimBlank(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex(line => line.trim() !== '');
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex(line => line.trim() !== '') + 1);
}
