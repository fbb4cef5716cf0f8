import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { branchKey } from '../loop/branch.ts';
import { beginSession, type OpenSession } from '../loop/open.ts';
import { exportsKey, hooksKey } from '../loop/resume.ts';
import { given } from '../model/json.ts';
import { toKnown } from '../model/known-record.ts';
import type { SessionEntry, SessionRecord, SessionSettings } from '../model/record.ts';
import { formatKey } from '../model/step-key.ts';
import { version } from '../platform/build.ts';
import { writeAtomically } from '../platform/files.ts';
import { isWithin } from '../platform/folders.ts';
import { readInputs } from '../session/inputs.ts';
import { sessionFiles } from '../session/paths.ts';
import type { KeptCheckpoint } from '../session/state/checkpoints.ts';
import { checkpointRef, setRef } from '../workspace/checkpoint-refs.ts';
import type { GitCall } from '../workspace/git.ts';
import { addWorktree, removeWorktree } from '../workspace/worktree.ts';
import { checkpointAt, checkpointsOf, type NoCheckpoint } from './checkpoints.ts';
import type { Context } from './context.ts';
import { forkPlace, forkRoot } from './fork-place.ts';
import { originOf } from './origin.ts';
import { pinsKey } from './run-session.ts';
import { envFileIn } from './session-environment.ts';
import { type NamedSession, sessionsOf } from './sessions.ts';

interface Fork {
  kind: 'forked';
  name: string;
  /** The project in the fork's worktree. */
  root: string;
  at: KeptCheckpoint;
}

/** Makes a session that goes on from a checkpoint of another, in a worktree of its own. It is not started. */
export async function forkSession(
  session: NamedSession,
  { at, prompt }: { at: number; prompt: string | undefined },
  context: Context,
): Promise<Fork | NoCheckpoint> {
  const found = await checkpointsOf(session, context);
  if (found.kind !== 'found') return found;
  const from = checkpointAt(found, at);
  if ('kind' in from) return from;
  const { env } = context;
  const call: GitCall = { env };
  const place = await forkPlace(session.root, env);
  if ('why' in place) return { kind: 'failed', why: place.why };
  const start = await session.store.startOf(session.name);
  if (!start)
    return { kind: 'failed', why: 'what the session was begun with is not kept any more, since it held secrets' };
  const inputs = readInputs(sessionFiles(session.root, session.name).inputs);
  if (inputs.kind === 'bad') return { kind: 'failed', why: inputs.reason };
  const { top, folder: places } = place;
  mkdirSync(places, { recursive: true, mode: 0o700 });
  const name = freeName(session.name, places);
  const worktree = join(places, name);
  const why = await addWorktree(top, from.tree, worktree, { ...call, head: from.head });
  if (why !== undefined) return { kind: 'failed', why };
  const root = forkRoot(worktree, top, session.root);
  mkdirSync(root, { recursive: true });
  const move = (path: string): string => (isWithin(path, top) ? join(worktree, relative(top, path)) : path);
  const opened = await beginSession(sessionsOf(root, env).store, name, {
    plan: start.plan,
    settings: movedSettings(start.settings, root, move),
    ...{ values: inputs.values, program: version, mask: context.mask },
    ...given({ origin: originOf(env, sessionFiles(root, name)) }),
  });
  if (opened.kind !== 'open') {
    await removeWorktree(top, worktree, call);
    return { kind: 'failed', why: 'reason' in opened ? opened.reason : `a session ${name} is there already` };
  }
  try {
    copyFiles(session.folder, opened.paths.folder);
    await copyHistory(session, opened, from, { name, prompt, call });
  } finally {
    await opened.lease.release();
  }
  return { kind: 'forked', name, root, at: from };
}

const maxName = 64;

/** `SESSION-fork-1`, `-2`. */
function freeName(session: string, places: string): string {
  for (let nth = 1; ; nth += 1) {
    const suffix = `-fork-${nth}`;
    const name = `${session.slice(0, maxName - suffix.length)}${suffix}`;
    if (!existsSync(join(places, name))) return name;
  }
}

const movedSettings = (settings: SessionSettings, root: string, move: (path: string) => string): SessionSettings => ({
  ...settings,
  root,
  ...(settings.outerRoots && { outerRoots: settings.outerRoots.map(move) }),
  ...(settings.tasksFile !== undefined && { tasksFile: move(settings.tasksFile) }),
});

/** What later iterations read. */
function copyFiles(from: string, to: string): void {
  for (const name of readdirSync(from))
    if (/^stage-\d+-|^progress\.md$/.test(name))
      cpSync(join(from, name), join(to, name), { recursive: true, filter: source => dirname(source) !== to });
  writeAtomically(envFileIn(to), '');
}

interface Copying {
  name: string;
  prompt: string | undefined;
  call: GitCall;
}

/** All that happened up to the checkpoint, with the same numbers, since records name each other by them. */
async function copyHistory(
  { store, name: original }: NamedSession,
  { journal, run, settings }: OpenSession,
  from: KeptCheckpoint,
  { name, prompt, call }: Copying,
): Promise<void> {
  const entries: SessionEntry[] = [];
  let isOver = false;
  await store.read(original, stored => {
    const entry = toKnown(stored);
    if (isOver || stored.seq === 1) return;
    entries.push(entry ?? ({ ...stored, kind: 'step.done', key: ofThere } as SessionEntry));
    isOver = entry?.kind === 'checkpoint.made' && entry.n === from.n;
  });
  for (const entry of entries) await journal.append(moved(entry, name, run), 'soon');
  for (const entry of entries)
    if (entry.kind === 'checkpoint.made') await setRef(settings.root, checkpointRef(name, entry.n), entry.oid, call);
  if (prompt !== undefined)
    await journal.append({ kind: 'step.done', key: 'forked', pending: { goesWith: 'next-iteration', text: prompt } });
  await journal.append({
    kind: 'session.closed',
    status: 'stopped',
    reason: `forked from ${original} at checkpoint ${from.n}`,
  });
}

/** Stands for what is true only of the place where the session was. */
const ofThere = 'elsewhere';
const aboutThere = [pinsKey, hooksKey, exportsKey, branchKey].map(formatKey);

function moved(entry: SessionEntry, name: string, run: OpenSession['run']): SessionRecord {
  const { seq: _seq, at: _at, ...record } = entry;
  if (record.kind === 'step.done' && aboutThere.includes(record.key)) return { kind: 'step.done', key: ofThere };
  // By its mark a run's processes are found and ended: those of the other session are not ours.
  if (record.kind === 'session.resumed') return { ...record, run: { ...run, number: record.run.number } };
  return record.kind === 'checkpoint.made'
    ? { ...record, ref: checkpointRef(name, record.n) }
    : (record as SessionRecord);
}
