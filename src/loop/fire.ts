import { maskDeep } from '../hooks/secrets/mask.ts';
import type { EventName, EventResult, HookEvent } from '../model/index.ts';
import { formatKey, runOfHook, type StepKey } from '../model/step-key.ts';
import { causeInChild } from './child-cause.ts';
import type { Loop, Scene } from './loop.ts';
import { SessionEnd } from './session-end.ts';

export type Fields = Omit<Partial<HookEvent>, 'name' | 'session' | 'at'>;

export interface FireOptions {
  /** Names this firing; what finished of it before a crash is not repeated. */
  key: StepKey;
  fields?: Fields;
  /** Ends these hooks instead of what ends the session's. */
  signal?: AbortSignal;
  approval?: string;
}

/** Fires an event with all that the session knows. Contract: rejects with a SessionEnd where a hook ends the session, or somebody else does. */
export async function fire(
  loop: Loop,
  scene: Scene,
  name: EventName,
  { key, fields, signal, approval }: FireOptions,
): Promise<EventResult> {
  // An agent may have thousands of things to tell: none of them holds up the end.
  if (!signal && loop.stop.aborted) throw interruptedAt(name);
  const event = eventAt(loop, scene, name, fields);
  if (!loop.durable.tell(key, event) && !isToldAgain(name)) return fireHooks(loop, scene, event, key, signal);
  // Told again after a crash: whoever watches the new process must know where it is.
  notify(loop, event, approval);
  return fireHooks(loop, scene, event, key, signal);
}

async function fireHooks(
  loop: Loop,
  scene: Scene,
  event: HookEvent,
  key: StepKey,
  signal: AbortSignal | undefined,
): Promise<EventResult> {
  const result = await scene.engine.fire(event, { key: formatKey(key), signal: signal ?? loop.hooksEnd });
  if (signal) return result;
  if (loop.stop.aborted) throw interruptedAt(event.name);
  if (loop.here.ending) throw loop.here.ending;
  if (result.decision.kind !== 'abort') return result;
  const { by } = result.decision;
  const reason = shortReason(result, by);
  const cause = await causeInChild(loop.store, loop.name, formatKey(runOfHook(key, by)));
  const why = cause === undefined ? reason : `${reason}: ${cause}`;
  throw new SessionEnd('failed', `${nameOf(loop, by)} ended the session: ${why}`, { at: key });
}

/** For people: the decision's own reason is the whole text that an agent would get. */
function shortReason({ decision, results }: EventResult, by: string): string {
  const refusing = results.find(result => result.hook === by && result.status === 'finished');
  if (refusing?.status === 'finished' && refusing.verdict.kind !== 'passed') return refusing.verdict.reason;
  return decision.kind === 'proceed' ? '' : decision.reason;
}

const interruptedAt = (name: EventName): SessionEnd => new SessionEnd('interrupted', `during ${name}`);

/** Where the session is, and what it waits for. */
const isToldAgain = (name: EventName): boolean => name.endsWith('.starting') || name === 'approval.requested';

/**
 * No iteration failed, and yet the session does: what files call `on_error` is told. Hooks that are about an iteration, by
 * their name or because they help it to recover, are not.
 */
export async function fireOnError(
  loop: Loop,
  scene: Scene,
  { key, error }: { key: StepKey; error: string },
): Promise<void> {
  const hooks = [...(scene.stage?.hooks ?? []), ...loop.plan.hooks, ...loop.hooks];
  const event = eventAt(loop, scene, 'iteration.failed', { error });
  for (const hook of hooks)
    if (hook.spelling === 'on_error' && !hook.recovers && hook.disabled === undefined)
      await loop.engines.alone(hook).fire(event, { key: formatKey(key), signal: loop.hooksEnd });
}

/** The text with which hooks have refused something. */
export const refusalText = ({ decision, feedback }: EventResult): string =>
  decision.kind === 'proceed' ? '' : feedback || decision.reason;

/** A hook as people know it. */
export const nameOf = (loop: Loop, id: string): string => {
  const stages = loop.plan.stages.flatMap(({ hooks }) => hooks);
  const hook = [...stages, ...loop.plan.hooks, ...loop.hooks].find(known => known.id === id);
  return hook ? `hook "${hook.name}" (${hook.source.file}:${hook.source.line})` : `hook ${id}`;
};

function eventAt({ paths, settings, plan, seat }: Loop, scene: Scene, name: EventName, fields: Fields = {}): HookEvent {
  const { stage, iteration, maxIterations, lastDecision, task } = scene;
  return {
    name,
    session: paths.name,
    at: new Date().toISOString(),
    cwd: settings.root,
    agent: seat.agentName(stage),
    progress: paths.progress,
    statusFile: paths.current.status,
    contextFile: paths.current.context,
    ...(stage && { stage: stage.id, nextStage: plan.stages[stage.index + 1]?.id ?? '', role: stage.role }),
    ...(iteration !== undefined && { iteration }),
    ...(maxIterations !== undefined && { maxIterations }),
    ...(lastDecision !== undefined && { lastDecision }),
    ...(task && { taskId: task.id, content: task.content }),
    ...fields,
  };
}

function notify(loop: Loop, event: HookEvent, approval: string | undefined): void {
  const { name, session = '', at = '', extra, facts: _facts, ...rest } = event;
  const told = maskDeep(rest, loop.mask) as typeof rest;
  loop.watcher.notice({ type: name, at, session, ...told, ...(approval !== undefined && { approval }) });
}
