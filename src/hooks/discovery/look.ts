import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { beginningOf, readRegularFile, whyUnreadable } from '../../platform/files.ts';

/** Config files are small; a larger one is a mistake or an attack. */
const maxConfigBytes = 1024 * 1024;

/**
 * Identity, size, times and mode of a path; null where nothing is, a text where looking failed, true where it only
 * matters that something is there.
 */
export type Fingerprint =
  | true
  | readonly [dev: number, ino: number, size: number, mtimeMs: number, ctimeMs: number, mode: number]
  | string
  | null;

export type FileText = { kind: 'text'; text: string } | { kind: 'absent' } | { kind: 'unreadable'; reason: string };
export type Entry = { name: string; path: string } | { name: string; path: undefined };

/** The only eyes on the disk: whatever is looked at is remembered, so that a compiled plan knows when it is stale. */
export interface Look {
  readonly seen: ReadonlyMap<string, Fingerprint>;
  /** Why a path could not be looked at, where it is there. */
  readonly failures: ReadonlyMap<string, string>;
  stat(path: string): Stats | undefined;
  /** Whether something is there that may change all the time, as `.git` does with every command of git. */
  isThere(path: string): boolean;
  /** Whether an expression finds something in the beginning of a file, text or not. */
  mentions(path: string, expression: string): boolean;
  text(path: string): FileText;
  /** Names in a folder in byte order; a name that is not UTF-8 has no path. Empty where there is no folder. */
  list(path: string): readonly Entry[];
}

export function createLook(): Look {
  const seen = new Map<string, Fingerprint>();
  const failures = new Map<string, string>();
  const record = (path: string): Stats | string | undefined => {
    const looked = statOf(path);
    seen.set(path, fingerprintOf(looked));
    return looked;
  };
  const stat = (path: string): Stats | undefined => {
    const looked = record(path);
    if (typeof looked !== 'string') return looked;
    failures.set(path, reasonOf(looked));
    return undefined;
  };
  return {
    seen,
    failures,
    stat,
    isThere: path => {
      const looked = statOf(path);
      if (typeof looked === 'string') failures.set(path, reasonOf(looked));
      if (!seen.has(path)) seen.set(path, typeof looked === 'object' ? true : fingerprintOf(looked));
      return typeof looked === 'object';
    },
    mentions: (path, expression) => new RegExp(expression).test(beginningOf(path, maxConfigBytes)),
    text: path => {
      const looked = record(path);
      if (typeof looked === 'string') return { kind: 'unreadable', reason: reasonOf(looked) };
      return looked ? readText(path, looked) : { kind: 'absent' };
    },
    list: path => {
      try {
        return stat(path)?.isDirectory() ? namesIn(path) : [];
      } catch (error) {
        failures.set(path, reasonOf((error as NodeJS.ErrnoException).code ?? String(error)));
        return [];
      }
    },
  };
}

/** A gate must not vanish because its link lost its target. */
const deadLink = 'dead link';

/** Stats of what a path leads to; undefined where nothing is; `deadLink` or the error's code where looking failed. */
export function statOf(path: string): Stats | string | undefined {
  try {
    // Most paths are no links, and most are not there: one look is enough for both.
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isSymbolicLink() ? (statSync(path, { throwIfNoEntry: false }) ?? deadLink) : stats;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'EIO';
    return code === 'ENOTDIR' || code === 'ENAMETOOLONG' ? undefined : code;
  }
}

/** Times of files move in steps of a few milliseconds. */
export const clockStepMs = 50;

/** Whether a path changed at that time or later: it may then change again without its times showing it. */
export const isFresh = (looked: Fingerprint, sinceMs: number): boolean =>
  Array.isArray(looked) && Math.max(looked[3], looked[4]) > sinceMs - clockStepMs;

/** Whether a path is as it was. */
export function isUnchanged(path: string, was: Fingerprint): boolean {
  const looked = statOf(path);
  if (was === true) return typeof looked === 'object';
  const is = fingerprintOf(looked);
  return Array.isArray(was) && Array.isArray(is) ? was.every((part, index) => part === is[index]) : was === is;
}

export const fingerprintOf = (looked: Stats | string | undefined): Fingerprint =>
  typeof looked === 'object'
    ? [looked.dev, looked.ino, looked.size, looked.mtimeMs, looked.ctimeMs, looked.mode]
    : (looked ?? null);

function readText(path: string, { size }: Stats): FileText {
  const unreadable = (reason: string): FileText => ({ kind: 'unreadable', reason });
  const content = readRegularFile(path, maxConfigBytes);
  if (content.kind === 'absent') return content;
  if (content.kind === 'unreadable')
    return size > maxConfigBytes ? unreadable(`${content.reason} (${size} bytes)`) : content;
  const nul = content.bytes.indexOf(0);
  if (nul !== -1) return unreadable(`is not a text file (NUL byte at offset ${nul})`);
  const text = decode(content.bytes);
  return text === undefined ? unreadable('is not valid UTF-8') : { kind: 'text', text };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly Entry[] {
  const names = readdirSync(folder, { encoding: 'buffer' }).sort(Buffer.compare);
  return names.map(bytes => {
    const name = decode(bytes);
    return name === undefined
      ? { name: bytes.toString('latin1'), path: undefined }
      : { name, path: join(folder, name) };
  });
}

const reasonOf = (code: string): string =>
  code === deadLink ? 'is a link to nothing' : (whyUnreadable[code] ?? `cannot be read (${code})`);
