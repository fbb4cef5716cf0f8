import { allSpellings, eventsSpelled, pickEvent, wires } from '../dialects/wires.ts';
import type { Plan, PlanRequest } from '../hooks/plan/plan-cache.ts';
import { createMask } from '../hooks/secrets/create-mask.ts';
import type { TrustCheck } from '../hooks/trust/may-run.ts';
import {
  type DialectName,
  type EventName,
  type EventResult,
  type HookEvent,
  type HookId,
  type Problem,
  type Progress,
  toEvent,
} from '../model/index.ts';
import { type Mask, maskDeep } from '../model/mask.ts';
import { didYouMean } from '../model/nearest.ts';
import { composeEngine } from './compose.ts';
import type { Where } from './context.ts';
import { type PlanSource, planFor } from './plan-source.ts';

/** The events that a name stands for: our own, or any dialect's spelling. `hint`: what may have been meant. */
export function eventsNamed(spelling: string): readonly EventName[] | { hint: string | undefined } {
  return eventsSpelled(spelling) ?? { hint: didYouMean(spelling, allSpellings()) };
}

export type EventReading =
  | { kind: 'event'; event: HookEvent }
  /** Fields have a wrong type. */
  | { kind: 'bad'; name: EventName; flaws: readonly string[] };

/** What has happened, of several events that share a spelling the one that the payload tells of. */
export function readEvent(events: readonly EventName[], payload: Readonly<Record<string, unknown>>): EventReading {
  const name = pickEvent(events, payload);
  const reading = toEvent(name, payload, () => new Date().toISOString());
  return reading.kind === 'bad' ? { ...reading, name } : reading;
}

export interface FireRequest {
  /** Hooks of one dialect. */
  only?: DialectName | undefined;
  /** Nothing runs unless the hooks of the project are trusted. */
  requireTrust: boolean;
  dryRun: boolean;
}

export interface FireContext extends Where {
  plans: PlanSource;
  signal: AbortSignal;
  /** The file that starts hookloop. */
  program: string;
  /** Whoever hears of it, made once it is known what is secret. */
  report(mask: Mask): FireReport;
  /** Lines that are not about a hook: they come at once. */
  tell(line: string): void;
}

export interface FireReport {
  problems(problems: readonly Problem[]): void;
  line(text: string): void;
  /** `tellsExit`: in its dialect a hook's part of a summary is how it ended, not what was decided. */
  progress(progress: Progress, tellsExit: boolean): void;
}

export type Fired =
  /** Secrets are hidden in it. */
  | { kind: 'fired'; result: EventResult }
  /** A file that is or may hold a gate has errors. */
  | { kind: 'broken' }
  | { kind: 'untrusted'; why: string };

/** Fires one event outside of sessions, with every kind of action. */
export async function dispatchEvent(event: HookEvent, request: FireRequest, context: FireContext): Promise<Fired> {
  const { cwd, env, plans, signal } = context;
  const wanted: PlanRequest = { cwd, env, only: request.only };
  const plan = await planFor(wanted, plans);
  // Only events that need more than a shell load more than a shell.
  const reaches = plan.hooks.some(hook => hook.event === event.name && hook.action.kind !== 'shell');
  const opened = reaches
    ? (await import('./dispatch-actions.ts')).openDispatchActions(context, plan.places, event)
    : undefined;
  const mask = opened?.mask ?? createMask(env);
  const report = context.report(mask);
  report.problems(plan.problems);
  if (plan.problems.some(({ refuses }) => refuses)) return { kind: 'broken' };
  const { why, onlyTrusted, remark } = request.requireTrust ? await checkEventTrust(plan, wanted, plans) : {};
  if (remark !== undefined) context.tell(remark);
  if (why !== undefined) return { kind: 'untrusted', why };
  const failures = new Map<HookId, string>();
  const engine = composeEngine({
    ...plan,
    ...{ env, mask, onlyTrusted, relay: report.line, warn: report.line },
    actions: opened?.actions,
    onProgress(progress) {
      report.progress(progress, tellsExit(progress.hook.source.dialect));
      noteFailure(progress, failures);
    },
    detach: true,
    dryRun: request.dryRun,
  });
  const result = await engine.fire(event, { signal: opened ? AbortSignal.any([signal, opened.signal]) : signal });
  await (opened ? opened.finish(engine) : engine.settle());
  return { kind: 'fired', result: maskDeep(withFailures(result, failures), mask) as EventResult };
}

const tellsExit = (dialect: DialectName): boolean => wires.find(({ name }) => name === dialect)?.summary === 'exit';

/** What is trusted is the whole project, not one dialect of it. */
async function checkEventTrust({ hooks, ...plan }: Plan, request: PlanRequest, plans: PlanSource): Promise<TrustCheck> {
  const { pins, places } = request.only === undefined ? plan : await planFor({ ...request, only: undefined }, plans);
  const { checkHooks } = await import('../hooks/trust/may-run.ts');
  return checkHooks(hooks, { pins, root: places.root, env: request.env });
}

/** What no one waits for has often failed by the time that it is sent. */
function noteFailure(progress: Progress, failures: Map<HookId, string>): void {
  if (progress.type !== 'finished' || progress.result.status !== 'finished' || progress.hook.wait) return;
  const { verdict } = progress.result;
  if (verdict.kind === 'failed') failures.set(progress.hook.id, verdict.reason);
}

const withFailures = (result: EventResult, failures: ReadonlyMap<HookId, string>): EventResult => ({
  ...result,
  results: result.results.map(each => {
    const failed = each.status === 'detached' ? failures.get(each.hook) : undefined;
    return failed === undefined ? each : { ...each, failed };
  }),
});
