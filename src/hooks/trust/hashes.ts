import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { HookDefinition, Places } from '../../model/index.ts';
import { disablingFile } from './gated-events.ts';

/** JSON in which the order of fields says nothing: equal values have equal texts. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(item => canonical(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, child]) => `${JSON.stringify(key)}:${canonical(child)}`).join(',')}}`;
}

export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** A hook without what changes while it stays the same: its line, and where the project happens to lie. */
export function normalHook(hook: HookDefinition, places: Places): Record<string, unknown> {
  const { source, action, place, settings, disabled, ...rest } = hook;
  const { line: _line, ...from } = source;
  const moved = (value: unknown): unknown => withoutRoot(value, places.root);
  const isExec = action.kind === 'shell' && action.run.via === 'exec';
  return {
    ...rest,
    source: from,
    place: moved(place),
    action: isExec ? { ...action, run: moved(action.run) } : action,
    ...(settings && { settings: moved(settings) }),
    ...(disabled !== undefined && disablingFile(hook) !== undefined && { disabled }),
  };
}

/** No path holds a NUL, so two different paths never become the same. */
export const rootMark = '\0root';

function withoutRoot(value: unknown, root: string): unknown {
  if (typeof value === 'string') return value.replaceAll(root, rootMark);
  if (Array.isArray(value)) return value.map(item => withoutRoot(item, root));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withoutRoot(child, root)]));
}

/** Of a larger file only its identity is told, which every change of it changes. */
const maxHashedBytes = 64 * 1024 * 1024;

/** A hash of what a path leads to; null where there is no file. Contract: never throws, never waits for a pipe. */
export function hashFile(path: string): string | null {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (!stats.isFile()) return null;
    const mode = (stats.mode & 0o111) === 0 ? 'plain' : 'executable';
    if (stats.size > maxHashedBytes)
      return `large ${mode} ${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(256 * 1024);
    for (let count = readSync(fd, chunk); count > 0; count = readSync(fd, chunk)) hash.update(chunk.subarray(0, count));
    return `${mode} ${hash.digest('hex')}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' ? null : `unreadable ${code}`;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
