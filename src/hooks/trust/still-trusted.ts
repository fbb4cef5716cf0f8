import { lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type ActionKind,
  type ActionOutcome,
  type HookDefinition,
  printable,
  type RunAction,
} from '../../model/index.ts';
import { realPath } from '../../platform/folders.ts';
import { clockStepMs, isUnchanged } from '../discovery/look.ts';
import type { Pins, ScriptMark } from './pins.ts';

/** Without files each hook that names a script is a gate. */
type Pinned = Pick<Pins, 'scripts'> & Partial<Pick<Pins, 'files'>>;

/** What becomes of a hook whose script is not as it was pinned. */
export interface Unlike {
  sayChanged?(path: string): string;
  endsSession?(hook: HookDefinition): boolean;
}

/**
 * Runs an action only if every script that its hook names is as it was pinned; a gate whose script is not says no. So
 * does one whose script was touched while it ran: what has answered may have been another.
 */
export function ifStillTrusted<Kind extends ActionKind>(
  run: RunAction<Kind>,
  pins: Pinned,
  { sayChanged = notTrusted, endsSession }: Unlike = {},
): RunAction<Kind> {
  return async (action, context) => {
    const { hook } = context;
    const refuse = async (reason: string): Promise<ActionOutcome | undefined> => {
      const { refusingOutcome } = await import('../../dialects/gates.ts');
      return isGated(hook, pins) ? refusingOutcome(hook, reason) : undefined;
    };
    const looks = await settledLooks(marksOf(hook, pins));
    const changed = looks.changing ?? (await changedScript(hook, pins));
    if (changed !== undefined) {
      const reason = printable(sayChanged(changed));
      if (endsSession?.(hook)) return { kind: 'not-started', reason, ends: true };
      return (await refuse(reason)) ?? { kind: 'not-started', reason };
    }
    const outcome = await run(action, context);
    const touched = touchedOf(looks.at);
    if (touched === undefined) return outcome;
    return (await refuse(`${printable(touched)} was changed while it ran, so its answer does not count`)) ?? outcome;
  };
}

const notTrusted = (path: string): string =>
  `${path} is not what was trusted; the user can look at it with: hookloop trust`;

/** The first path that a hook names whose file is not as it was pinned. Files that look the same are not read again. */
export async function changedScript(hook: HookDefinition, pins: Pinned): Promise<string | undefined> {
  for (const [path, hash, looked] of marksOf(hook, pins)) {
    if (looked !== undefined && isUnchanged(path, looked)) continue;
    const { hashFile } = await import('./hashes.ts');
    if (hashFile(path) !== hash) return path;
  }
  return undefined;
}

const marksOf = ({ id }: HookDefinition, { scripts }: Pinned): readonly ScriptMark[] =>
  Object.hasOwn(scripts, id) ? scripts[id]! : [];

const isGated = ({ event, source: { file } }: HookDefinition, { files }: Pinned): boolean =>
  files === undefined || (Object.hasOwn(files, file) && files[file]!.gates.some(gate => gate.event === event));

interface Looks {
  at: readonly Look[];
  /** A path that does not come to rest. */
  changing?: string;
}

const maxLooks = 4;

/** How the scripts look, once none of them is so new that its next change could not be seen. */
async function settledLooks(marks: readonly ScriptMark[]): Promise<Looks> {
  for (let count = 1; ; count++) {
    const at = looksAt(marks.map(([path]) => path));
    const now = Date.now();
    const fresh = at.find(({ ways }) => [...ways.values()].some(seen => Math.abs(now - changedMs(seen)) < clockStepMs));
    if (fresh === undefined) return { at };
    if (count === maxLooks) return { at, changing: fresh.path };
    await delay(clockStepMs);
  }
}

/** What stands at a path, links not followed; a word where that cannot be told. */
type Seen = Stats | string;

/** A script and all that leads to it: whoever swaps a folder or a link above it swaps it too. */
interface Look {
  path: string;
  ways: ReadonlyMap<string, Seen>;
}

function looksAt(paths: readonly string[]): Look[] {
  const known = new Map<string, Seen>();
  const seenAt = (path: string): Seen => known.get(path) ?? known.set(path, lookAt(path)).get(path)!;
  return paths.map(path => ({ path, ways: new Map(waysTo(path).map(way => [way, seenAt(way)])) }));
}

function touchedOf(looks: readonly Look[]): string | undefined {
  const now = looksAt(looks.map(({ path }) => path));
  return looks.find(({ ways }, index) => {
    const after = now[index]!.ways;
    return ways.size !== after.size || [...ways].some(([way, seen]) => isTouched(seen, after.get(way) ?? ''));
  })?.path;
}

/** By its name and by where that leads. */
function waysTo(path: string): string[] {
  const ways = new Set<string>();
  for (let at of [path, realPath(path)]) for (; dirname(at) !== at; at = dirname(at)) ways.add(at);
  return [...ways];
}

function lookAt(path: string): Seen {
  try {
    return lstatSync(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '';
  }
}

/** What is made in a folder does not count, only what the folder itself goes through. */
function isTouched(before: Seen, after: Seen): boolean {
  if (typeof before === 'string' || typeof after === 'string') return before !== after;
  if (!before.isDirectory() || !after.isDirectory()) return identity(before) !== identity(after);
  const isSame = before.dev === after.dev && before.ino === after.ino;
  return !isSame || (before.ctimeMs !== after.ctimeMs && changedMs(after) > 0);
}

/** When the last change was that counts. What is made in a folder moves both of its times, a rename of it only one. */
function changedMs(seen: Seen): number {
  if (typeof seen === 'string') return 0;
  const isEntry = seen.isDirectory() && Math.abs(seen.ctimeMs - seen.mtimeMs) < 1;
  return isEntry ? 0 : seen.ctimeMs;
}

const identity = ({ dev, ino, size, mtimeMs, ctimeMs, mode }: Stats): string =>
  [dev, ino, size, mtimeMs, ctimeMs, mode].join(':');
