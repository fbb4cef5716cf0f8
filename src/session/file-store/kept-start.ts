import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isObject, jsonOf } from '../../model/json.ts';
import type { SessionRecord, SessionSettings } from '../../model/record.ts';
import { readRegularFile, writeJson } from '../../platform/files.ts';
import { maskStart } from '../mask-start.ts';
import type { Start } from '../store.ts';

type Started = Extract<SessionRecord, { kind: 'session.started' }>;

/** Where a session's folder is in its project, and where the user's own state is, if anywhere. */
export interface StartContext {
  root: string;
  folder: string;
  state: string | undefined;
}

/**
 * A start as the journal tells it: without what is or may be secret in it, and with paths relative to the root, so that
 * the session can be read elsewhere. What is left out is kept for `resume` in a file of the user's own.
 */
export function startForJournal(start: Start, mask: (text: string) => string, context: StartContext): Start & Kept {
  const whole: Start = { plan: start.plan, settings: relativeTo(context.root, start.settings) };
  const told = maskStart(whole, mask);
  if (JSON.stringify(told) === JSON.stringify(whole)) return told;
  keep(whole, context);
  return { ...told, secret: true };
}

type Kept = Pick<Started, 'secret'>;

/** The start as it was, or why it is lost. */
export function startFrom({ plan, settings, secret }: Started, context: StartContext): Start | string {
  const whole = secret ? kept(context) : { plan, settings };
  if (typeof whole === 'string') return whole;
  return { plan: whole.plan, settings: absoluteFrom(context.root, whole.settings) };
}

/** Nothing goes on any more that would need it. */
export function forgetStart({ folder, state }: StartContext): void {
  if (state === undefined) return;
  try {
    rmSync(fileOf(state, folder), { force: true });
  } catch {
    // There is none: the state folder cannot be used.
  }
}

function relativeTo(root: string, settings: SessionSettings): SessionSettings {
  return withPaths(settings, path => relative(root, path) || '.');
}

/** Older versions wrote whole paths, which stay as they are. */
const absoluteFrom = (root: string, settings: SessionSettings): SessionSettings =>
  withPaths(settings, path => resolve(root, path));

const withPaths = (settings: SessionSettings, change: (path: string) => string): SessionSettings => ({
  ...settings,
  root: change(settings.root),
  ...(settings.outerRoots && { outerRoots: settings.outerRoots.map(change) }),
  ...(settings.tasksFile !== undefined && { tasksFile: change(settings.tasksFile) }),
});

const startsFolder = (state: string): string => join(state, 'starts');

const fileOf = (state: string, folder: string): string =>
  join(startsFolder(state), `${createHash('sha256').update(folder).digest('hex').slice(0, 24)}.json`);

/** Without a state folder the session runs all the same, and cannot be resumed. */
function keep(whole: Start, { folder, state }: StartContext): void {
  if (state === undefined) return;
  mkdirSync(startsFolder(state), { recursive: true, mode: 0o700 });
  removeOrphans(startsFolder(state));
  writeJson(fileOf(state, folder), { folder, ...whole }, { sync: 'bytes' });
}

/** A folder that was deleted takes its secrets along. */
function removeOrphans(starts: string): void {
  for (const name of readdirSync(starts)) {
    const found = readStart(join(starts, name));
    if (typeof found !== 'string' && !existsSync(found.folder)) rmSync(join(starts, name), { force: true });
  }
}

function kept({ folder, state }: StartContext): Start | string {
  if (state === undefined) return 'HOME is not set, so what it was started with cannot be found';
  return readStart(fileOf(state, folder));
}

const maxBytes = 64 * 1024 * 1024;

function readStart(file: string): (Start & { folder: string }) | string {
  const found = readRegularFile(file, maxBytes);
  if (found.kind === 'absent') return `${file} is gone: put it back`;
  if (found.kind === 'unreadable') return `${file} ${found.reason}`;
  const start = jsonOf(found.bytes.toString());
  return isObject(start) ? (start as unknown as Start & { folder: string }) : `${file} is damaged`;
}
