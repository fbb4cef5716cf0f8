import { type Limit, limitOf } from '../actions/process/limit.ts';
import { stopProcesses } from '../actions/process/stop.ts';
import type { SessionResult } from '../loop/ending.ts';
import { type OpenSession, reopenSession } from '../loop/open.ts';
import { wholeLength } from '../model/cut-text.ts';
import type { ActionOutcome, ActionRun, RunAction, SpawnAction } from '../model/index.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import { readRegularFile } from '../platform/files.ts';
import { stageOutputs } from '../session/inputs.ts';
import type { SessionFiles } from '../session/paths.ts';
import { leaveWorktree, makeWorktree } from '../workspace/worktree.ts';
import {
  beginChild,
  childrenOf,
  type KnownChild,
  type SessionRun,
  type SharedParts,
  type SpawnParent,
} from './child-sessions.ts';
import { childEnv } from './session-environment.ts';
import { notOpen } from './session-ports.ts';

const maxDepth = 5;
/** How long what is left of a child that was cut off may take to end by itself. */
const graceMs = 2000;

interface Spawning {
  shared: SharedParts;
  parent: SpawnParent;
  /** Runs a session to its end and lets go of it. */
  play(run: SessionRun): Promise<SessionResult>;
}

/** Runs child pipelines, each a session of its own in its parent's folder. */
export function createSpawnRunner(spawning: Spawning): RunAction<'spawn'> {
  const calls = new Map<string, number>();
  return async (action, run) => {
    if (run.signal.aborted) return { kind: 'cancelled' };
    const nth = run.key === undefined ? 0 : (calls.get(run.key) ?? 0) + 1;
    if (run.key !== undefined) calls.set(run.key, nth);
    try {
      return await spawn(action, run, nth, spawning);
    } catch (error) {
      return notStarted(error instanceof Error ? error.message : String(error));
    }
  };
}

const notStarted = (reason: string): ActionOutcome => ({ kind: 'not-started', reason });

async function spawn(action: SpawnAction, run: ActionRun, nth: number, spawning: Spawning): Promise<ActionOutcome> {
  const { shared, parent } = spawning;
  if (parent.depth >= maxDepth)
    return notStarted(`child pipelines nest at most ${maxDepth} deep, and ${parent.name} is at that depth`);
  const known = run.key === undefined ? [] : await childrenOf(parent, run, run.key);
  const earlier = known[nth - 1];
  const result = earlier && resultOf(earlier, nth < known.length, run);
  if (result) return result;
  const limit = limitOf(run);
  try {
    const opened = earlier
      ? await reopenSession(parent.store, earlier.name)
      : await beginChild(action, run, shared, parent);
    if (opened.kind === 'refused') return notStarted(opened.reason);
    if (opened.kind !== 'open') return notStarted(notOpen(earlier!.name, opened).text);
    return await playChild(opened, action, limit, spawning);
  } finally {
    limit.clear();
  }
}

/** What a child before a crash came to; undefined where it still has to go on. */
function resultOf(child: KnownChild, hasSuccessor: boolean, { timeoutMs }: ActionRun): ActionOutcome | undefined {
  const { status, paths, plan, reason } = child;
  if (status === 'completed' || status === 'failed') return finished({ paths, plan }, status === 'completed', reason);
  // It was tried again after this one, so this one was cut off by its timeout.
  return hasSuccessor ? { kind: 'timed-out', afterMs: timeoutMs ?? 0, stdout: '', stderr: '' } : undefined;
}

async function playChild(
  session: OpenSession,
  action: SpawnAction,
  limit: Limit,
  { shared, parent, play }: Spawning,
): Promise<ActionOutcome> {
  const { name: label, paths, plan, settings, run } = session;
  const passed = [...action.passEnv, ...plan.passEnv, ...plan.stages.flatMap(stage => stage.passEnv)];
  const env = childEnv(parent.env, passed);
  const { root } = parent.settings;
  const hasWorktree = settings.root !== root;
  const noWorktree = hasWorktree ? await makeWorktree(root, settings.root, env) : undefined;
  if (noWorktree !== undefined) return abandon(session, noWorktree);
  const places = hasWorktree
    ? { ...parent.places, root: settings.root, repo: settings.root, cwd: settings.root }
    : parent.places;
  const hooks = action.inheritHooks ? shared.hooks : shared.hooks.filter(({ source }) => source.scope === 'user');
  const { status, reason, because } = await play({ shared, session, places, hooks, env, stop: limit.signal });
  const cutOff = status === 'interrupted' ? limit.cutOff() : undefined;
  if (cutOff) await stopProcesses({ mark: run.mark }, graceMs);
  // A cancelled child goes on there when its parent is resumed; one that was taken, in another process.
  if (hasWorktree && cutOff?.kind !== 'cancelled' && because !== 'taken') {
    const kept = await leaveWorktree(root, settings.root, env);
    if (kept !== undefined)
      shared.report.remark({ level: 'warning', text: `${label}: its worktree ${settings.root} is kept: ${kept}` });
  }
  if (cutOff) return cutOff;
  const outcome = finished({ paths, plan }, status === 'completed', reason);
  if (status === 'completed' && outcome.kind === 'child-finished' && !outcome.succeeded)
    shared.report.remark({ level: 'warning', text: `${label}: ${outcome.output}` });
  return outcome;
}

/** An output that cannot be handed on is a failure: whoever waits for it must not take it for an empty one. */
function finished(
  { paths, plan }: Pick<KnownChild, 'paths' | 'plan'>,
  succeeded: boolean,
  reason: string | undefined,
): ActionOutcome {
  const output = readChildOutput(paths, plan);
  if (output.kind === 'bad') return { kind: 'child-finished', succeeded: false, output: output.reason };
  return { kind: 'child-finished', succeeded, output: output.text || (succeeded ? '' : (reason ?? '')) };
}

async function abandon(session: OpenSession, reason: string): Promise<ActionOutcome> {
  await session.journal.append({ kind: 'session.closed', status: 'failed', reason });
  await session.lease.release();
  return notStarted(reason);
}

export type ChildOutput = { kind: 'output'; text: string } | { kind: 'bad'; reason: string };

/** More than this is a file to be read, not a value to be handed on. */
const maxBytes = 1024 * 1024;
/** A last output may be longer and is cut then; at some size it is no text any more. */
const maxReadBytes = 64 * 1024 * 1024;

/** What a child has to say: its output.json, else the output of its last iteration. */
function readChildOutput(paths: SessionFiles, plan: PipelinePlan): ChildOutput {
  const written = readRegularFile(paths.output, maxBytes);
  if (written.kind === 'bytes') return { kind: 'output', text: written.bytes.toString().trimEnd() };
  if (written.kind === 'unreadable') return { kind: 'bad', reason: `output.json ${written.reason}` };
  const last = plan.stages
    .toReversed()
    .flatMap(stage => stageOutputs(paths, stage).slice(-1))
    .at(0);
  if (last === undefined) return { kind: 'output', text: '' };
  const found = readRegularFile(last, maxReadBytes);
  if (found.kind !== 'bytes') return { kind: 'output', text: '' };
  const { bytes } = found;
  return { kind: 'output', text: bytes.toString('utf8', 0, wholeLength(bytes, maxBytes)).trimEnd() };
}
