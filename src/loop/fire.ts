import { globalHooks } from '../dialects/shared/hooks-file.ts';
import type { Engine } from '../engine/engine.ts';
import type { EnginePorts } from '../engine/run-hook.ts';
import type { EventName, EventResult, HookDefinition, HookEvent, Progress } from '../model/index.ts';
import { toKnown } from '../model/known-record.ts';
import { maskDeep } from '../model/mask.ts';
import type { StagePlan } from '../model/pipeline.ts';
import type { SessionSettings } from '../model/record.ts';
import { firingOf, formatKey, iterationKey, numberOf, parseKey, runOfHook, type StepKey } from '../model/step-key.ts';
import { countTasks } from '../model/task-count.ts';
import { fold, newState, tasksOf } from '../session/state/state.ts';
import type { SessionStore } from '../session/store.ts';
import { resultForWatchers } from './recorded.ts';
import {
  agentName,
  agentSpecsOf,
  type CreateEngine,
  nameOf,
  type Position,
  type Question,
  type Session,
} from './session.ts';
import { endedIn, SessionEnd } from './session-end.ts';

export type Fields = Omit<Partial<HookEvent>, 'name' | 'session' | 'at'>;

export interface FireOptions {
  /** Names this firing; what finished of it before a crash is not repeated. */
  key: StepKey;
  fields?: Fields;
  /** Ends these hooks instead of what ends the session's. */
  signal?: AbortSignal;
  approval?: string;
  /** Hooks decide about a tool's input and change nothing of it. */
  fixedInput?: boolean;
}

/** Fires an event with all that the session knows. Contract: rejects with a SessionEnd where a hook ends the session, or someone else does. */
export interface Fire {
  (position: Position, name: EventName, options: FireOptions): Promise<EventResult>;
  /**
   * No iteration failed, and yet the session does: what files call `on_error` is told. Hooks that are about an iteration, by
   * their name or because they help it to recover, are not.
   */
  onError(position: Position, failed: { key: StepKey; error: string }): Promise<void>;
  engines: Engines;
}

/** What is needed to fire an event. */
export interface InSession {
  session: Session;
  fire: Fire;
}

/** One engine for each stage's hooks, and one for the events of the whole session. */
interface Engines {
  session: Engine;
  of(stage: StagePlan): Engine;
  /** An engine of one hook, for one that is resumed. */
  alone(hook: HookDefinition): Engine;
  all(): readonly Engine[];
}

export function createFire(session: Session, engines: Engines): Fire {
  const fire = async (
    position: Position,
    name: EventName,
    { key, fields, signal, approval, fixedInput = false }: FireOptions,
  ): Promise<EventResult> => {
    // An agent may have thousands of things to tell: none of them holds up the end.
    if (!signal && session.stop.aborted) throw endedIn(session, `during ${name}`);
    const event = eventAt(session, position, name, fields);
    // Told again after a crash: whoever watches the new process must know where it is.
    const id = session.durable.notes.event(key, event);
    if (id !== undefined || isToldAgain(name)) notify(session, event, id, approval);
    return fireHooks(session, position, event, key, { signal, fixedInput });
  };
  const onError: Fire['onError'] = async (position, { key, error }) => {
    const hooks = [...(position.stage?.hooks ?? []), ...session.plan.hooks, ...session.hooks];
    const event = eventAt(session, position, 'iteration.failed', { error });
    for (const hook of hooks)
      if (hook.spelling === 'on_error' && !hook.recovers && hook.disabled === undefined)
        await engines.alone(hook).fire(event, { key: formatKey(key), signal: session.hooksEnd });
  };
  return Object.assign(fire, { onError, engines });
}

async function fireHooks(
  session: Session,
  { engine }: Position,
  event: HookEvent,
  key: StepKey,
  { signal, fixedInput }: { signal: AbortSignal | undefined; fixedInput: boolean },
): Promise<EventResult> {
  const result = await engine.fire(event, { key: formatKey(key), signal: signal ?? session.hooksEnd, fixedInput });
  if (!(signal ?? session.hooksEnd).aborted)
    session.durable.notes.decided(key, result, hook => session.mask(nameOf(session, hook)));
  if (signal) return result;
  if (session.stop.aborted) throw endedIn(session, `during ${event.name}`);
  if (session.now.ending) throw session.now.ending;
  if (result.decision.kind !== 'abort') return result;
  const { by } = result.decision;
  const reason = shortReason(result, by);
  const cause = await causeInChild(session.store, session.name, formatKey(runOfHook(key, by)));
  const why = cause === undefined ? reason : `${reason}: ${cause}`;
  throw new SessionEnd('failed', `${nameOf(session, by)} ended the session: ${why}`, { at: key });
}

/** For people: the decision's own reason is the whole text that an agent would get. */
function shortReason({ decision, results }: EventResult, by: string): string {
  const refusing = results.find(result => result.hook === by && result.status === 'finished');
  if (refusing?.status === 'finished' && refusing.verdict.kind !== 'passed') return refusing.verdict.reason;
  return decision.kind === 'proceed' ? '' : decision.reason;
}

/** Why the child pipeline that a run of a hook has started failed, in the words of the innermost; undefined: none has failed. */
async function causeInChild(store: SessionStore, parent: string, hookRun: string): Promise<string | undefined> {
  // The last one: those before it were tried again.
  for (const { name } of (await store.children(parent)).toReversed()) {
    const state = newState();
    /** Runs of hooks that have ended it, by the key of their event. */
    const endedBy = new Map<string, string>();
    await store.read(name, entry => {
      fold(state, entry);
      const known = toKnown(entry);
      if (known?.kind !== 'hook.finished' || known.result.status !== 'finished') return;
      if (known.result.decision.kind === 'abort') endedBy.set(formatKey(firingOf(parseKey(known.key))), known.key);
    });
    const { started, closed } = state;
    if (started?.settings.child?.key !== hookRun) continue;
    if (closed?.status !== 'failed') return undefined;
    const ending = endedBy.get(closed.failedIn ?? '');
    return (ending === undefined ? undefined : await causeInChild(store, name, ending)) ?? closed.reason;
  }
  return undefined;
}

/** Where the session is, and what it waits for. */
const isToldAgain = (name: EventName): boolean =>
  name.endsWith('.starting') || name === 'approval.requested' || name === 'session.paused';

/** The text with which hooks have refused something. */
export const refusalText = ({ decision, feedback }: EventResult): string =>
  decision.kind === 'proceed' ? '' : feedback || decision.reason;

function eventAt(session: Session, position: Position, name: EventName, fields: Fields = {}): HookEvent {
  const { paths, settings, plan } = session;
  const { stage, iteration, maxIterations, lastDecision, task } = position;
  return {
    name,
    session: paths.name,
    at: new Date().toISOString(),
    cwd: settings.root,
    agent: agentAtWork(session, position),
    progress: paths.progress,
    statusFile: paths.current.status,
    contextFile: paths.current.context,
    ...(session.now.spending && { spending: session.now.spending() }),
    ...(stage && { stage: stage.id, nextStage: plan.stages[stage.index + 1]?.id ?? '', role: stage.role }),
    ...(iteration !== undefined && { iteration }),
    ...(maxIterations !== undefined && { maxIterations }),
    ...(lastDecision !== undefined && { lastDecision }),
    ...(task && { taskId: task.id, content: task.content }),
    ...fields,
  };
}

/** Where there is a choice, the one that works on the iteration. */
export function agentAtWork(session: Session, { stage, iteration }: Position): string {
  const { worker } = session.durable.state().pauses;
  const isOwn = worker && stage && iteration && worker.key === formatKey(iterationKey(stage.index, iteration));
  return agentName(isOwn ? worker.agent : agentSpecsOf(session, stage)[0]);
}

function notify(
  { durable, mask, watcher }: Session,
  event: HookEvent,
  id: number | undefined,
  approval: string | undefined,
): void {
  const { name, session = '', at = '', extra, facts: _facts, spending: _spending, ...rest } = event;
  const told = maskDeep(rest, mask) as typeof rest;
  const ids = { ...(id !== undefined && { id }), ...(approval !== undefined && { approval }) };
  const tasks = /^(task|iteration)\./.test(name) ? tasksOf(durable.state()) : [];
  watcher.notice({ type: name, at, session, ...told, ...ids, ...(tasks.length > 0 && countTasks(tasks)) });
}

/** Tells hooks and watchers that someone is waited for. The answer does not wait for them. */
export function tellQuestion({ session: { now }, fire }: InSession, asked: Question): void {
  const { id, question, title, files, expires, key = `approval/${id}` } = asked;
  const fields = {
    question,
    ...(title !== undefined && { title }),
    ...(files && { context: { files } }),
    extra: { approval: id, ...(expires !== undefined && { expires }) },
  };
  const told = fire(now.position, 'approval.requested', { key: parseKey(key), fields, approval: id });
  told.catch((error: unknown) => {
    if (error instanceof SessionEnd) now.ending ??= error;
    else throw error;
  });
}

interface PersonsAnswer {
  action: 'approve' | 'reject';
  message: string;
  by?: string;
}

/** Tells watchers of the answer to an agent or a script, before it is kept; that to a hook is in the hook's result. */
export function tellAnswer({ durable, paths, watcher }: Session, key: string, answer: PersonsAnswer): void {
  const asked = durable.state().approvals.waiting.get(key);
  if (!asked) return;
  const { id, question, title } = asked;
  const base = { type: 'approval.answered', at: new Date().toISOString(), session: paths.name } as const;
  watcher.notice({ ...base, approval: id, ...(title !== undefined && { title }), question, ...answer });
}

type Reported = Pick<Session, 'plan' | 'hooks' | 'durable' | 'settings' | 'paths' | 'mask' | 'watcher'>;

export function createEngines(
  session: Reported,
  createEngine: CreateEngine,
  looks: Pick<EnginePorts, 'recheck' | 'filesMark'>,
): Engines {
  const { plan, hooks, durable } = session;
  const needs = {
    ...{ around: durable.around, recheck: looks.recheck, filesMark: looks.filesMark },
    onProgress: (progress: Progress) => report(session, progress),
  };
  const create = (own: readonly HookDefinition[], disabledBy: string | undefined): Engine =>
    createEngine(
      [...own, ...plan.hooks, ...(disabledBy === undefined ? hooks : withoutGlobalHooks(hooks, disabledBy))],
      needs,
    );
  const globalOff = plan.disableGlobalHooks ? plan.name : undefined;
  const byStage = new Map(
    plan.stages.map(stage => [stage.index, create(stage.hooks, stage.disableGlobalHooks ? stage.id : globalOff)]),
  );
  const ofAll = new Map(plan.stages.flatMap(stage => stage.hooks).map(hook => [hook.id, hook]));
  const isOff = plan.stages.length > 0 && plan.stages.every(stage => stage.disableGlobalHooks);
  const whole = create([...ofAll.values()], isOff ? plan.name : globalOff);
  const alone: Engine[] = [];
  return {
    session: whole,
    of: stage => byStage.get(stage.index)!,
    alone(hook) {
      const engine = createEngine([hook], needs);
      alone.push(engine);
      return engine;
    },
    all: () => [whole, ...byStage.values(), ...alone],
  };
}

/** Switches off the hooks that `disable_global_hooks` of a loop or pipeline file is about. */
const withoutGlobalHooks = (hooks: readonly HookDefinition[], file: string): readonly HookDefinition[] =>
  hooks.map(hook =>
    globalHooks.dialects.includes(hook.source.dialect) && globalHooks.scopes.includes(hook.source.scope)
      ? { ...hook, disabled: `disable_global_hooks in ${file}` }
      : hook,
  );

function report({ mask, paths, settings, watcher, durable }: Reported, progress: Progress): void {
  const { hook, key } = progress;
  const id = durable.state().hooks.open.get(key ?? '')?.id;
  const { stage, iteration, maxIterations } = progress.event;
  const named = {
    ...{ hook: hook.id, name: mask(hook.name), event: hook.event },
    ...(id !== undefined && { id }),
    ...(stage !== undefined && { stage }),
    ...(iteration !== undefined && { iteration }),
    ...(maxIterations !== undefined && { maxIterations }),
  };
  const base = { at: new Date().toISOString(), session: paths.name };
  if (progress.type === 'started') {
    const status = hook.statusMessage === undefined ? {} : { status: mask(hook.statusMessage) };
    watcher.notice({ ...base, type: 'hook.started', ...named, wait: hook.wait, attempt: progress.attempt, ...status });
    return;
  }
  if (progress.result.status !== 'finished') return;
  if (progress.warning) watcher.remark({ level: 'warning', text: mask(`${hook.name}: ${progress.warning}`) });
  const result = resultForWatchers(progress.result, mask);
  const isRefused = progress.result.decision.kind !== 'proceed';
  const isLast = isRefused && key !== undefined && hasNoFixLeft(settings, parseKey(key), hook);
  watcher.notice({ ...base, type: 'hook.finished', ...named, result, ...(isLast && { noFixLeft: true }) });
}

/** Fix attempts where neither the command line nor the hook's file says how many. */
const defaultFixes = 3;

export const fixesFor = ({ maxRetries }: SessionSettings, hook: HookDefinition | undefined): number =>
  maxRetries ?? hook?.maxFixes ?? defaultFixes;

/** Whether a gate that refuses in this run ends the session, since the agent has no fix attempt left. */
export function hasNoFixLeft(settings: SessionSettings, run: StepKey, hook: HookDefinition): boolean {
  const fixes = numberOf(run, 'gates');
  return fixes !== undefined && fixes >= fixesFor(settings, hook);
}
