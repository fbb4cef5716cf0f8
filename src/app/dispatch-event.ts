import { allSpellings, eventsSpelled, pickEvent, wires } from '../dialects/wires.ts';
import type { Plan, PlanRequest } from '../hooks/plan/plan-cache.ts';
import { createMask } from '../hooks/secrets/create-mask.ts';
import type { TrustCheck } from '../hooks/trust/may-run.ts';
import {
  type DialectName,
  describeProblem,
  type EventResult,
  errorLines,
  type HookDefinition,
  type HookEvent,
  type HookId,
  type Problem,
  type Progress,
  toEvent,
} from '../model/index.ts';
import { isObject, isTooDeep, maxJsonDepth, maxPayloadBytes } from '../model/json.ts';
import { type Mask, maskDeep } from '../model/mask.ts';
import { didYouMean } from '../model/nearest.ts';
import { brokenGate } from '../model/words.ts';
import { folderFlaws } from '../platform/folders.ts';
import type { Unasked } from './ask-no-one.ts';
import { composeEngine } from './compose.ts';
import type { Where } from './context.ts';
import { fireOutside, openActions } from './fire-outside.ts';
import { type PlanSource, planFor } from './plan-source.ts';

/** What a caller says has happened: the event under our own name or any dialect's spelling, and its payload in JSON. */
export interface EventCall {
  event: string;
  /** Read once the event is known. Nothing is an empty object. */
  input(): string | undefined;
}

export interface FireRequest {
  /** Hooks of one dialect. */
  only?: DialectName | undefined;
  /** Nothing runs unless the hooks of the project are trusted. */
  requireTrust: boolean;
  dryRun: boolean;
  /** Neither people nor judges are asked: a hook that would ask them says so. */
  asksNoOne?: true;
}

export interface FireContext extends Where {
  plans: PlanSource;
  signal: AbortSignal;
  /** The file that starts hookloop. */
  program: string;
  /** Makes what hears of the event, once it is known what is secret. */
  report(mask: Mask): FireReport;
  /** Lines that are not about a hook: they come at once. */
  tell(line: string): void;
}

export interface FireReport {
  /** A line for people, or a function that makes one later, so that no hook waits for it. */
  line(line: string | (() => string | undefined)): void;
  /** `tellsExit`: the summary of the hook's dialect says how hooks ended, not what was decided. */
  progress(progress: Progress, tellsExit: boolean): void;
}

export type Dispatched =
  | Fired
  /** Nothing was run: the event is unknown, its payload is bad, a file that is or may hold a gate has errors, or its hooks are not trusted. */
  | { kind: 'unknown-event' | 'bad-payload' | 'broken' | 'untrusted'; why: string };

/** Secrets are hidden in the result, and nowhere else. */
export interface Fired {
  kind: 'fired';
  event: HookEvent;
  result: EventResult;
  /** Those of the event. */
  hooks: readonly HookDefinition[];
  /** What no one was asked, by the hook that would have. */
  unasked: ReadonlyMap<HookId, Unasked>;
}

/** Fires one event outside sessions, with every kind of action. */
export async function dispatchEvent(call: EventCall, request: FireRequest, context: FireContext): Promise<Dispatched> {
  const reading = readEvent(call);
  return reading.kind === 'event' ? fireEvent(reading.event, request, context) : reading;
}

function readEvent({ event: spelling, input }: EventCall): { kind: 'event'; event: HookEvent } | NotFired {
  const events = eventsSpelled(spelling);
  if (!events) {
    const hint = didYouMean(spelling, allSpellings()) ?? 'hookloop events lists them all';
    return { kind: 'unknown-event', why: `unknown event ${spelling}; ${hint}` };
  }
  const payload = readPayload(input());
  if (typeof payload === 'string') return { kind: 'bad-payload', why: payload };
  const name = pickEvent(events, payload);
  const reading = toEvent(name, payload, () => new Date().toISOString());
  if (reading.kind === 'event') return reading;
  return { kind: 'bad-payload', why: `bad payload for ${name}: ${reading.flaws.join('; ')}` };
}

type NotFired = Exclude<Dispatched, { kind: 'fired' }>;

/** Its fields, or why it has none. */
function readPayload(input: string | undefined): Readonly<Record<string, unknown>> | string {
  if (input !== undefined && input.length > maxPayloadBytes) return 'the payload is larger than 64 MiB';
  if (input === undefined || input.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch (error) {
    return `the payload is not JSON: ${(error as Error).message}`;
  }
  if (!isObject(value)) return 'the payload must be a JSON object, as in {"session": "demo"}';
  return isTooDeep(value) ? `the payload is nested deeper than ${maxJsonDepth}` : value;
}

/** The same for an event whose fields are known. */
export async function fireEvent(event: HookEvent, request: FireRequest, context: FireContext): Promise<Dispatched> {
  const { cwd, env, plans } = context;
  const wanted: PlanRequest = { cwd, env, only: request.only };
  const plan = await planFor(wanted, plans);
  const ofEvent = plan.hooks.filter(hook => hook.event === event.name);
  const opened = await openActions(ofEvent, context, plan.places, event);
  const mask = opened?.mask ?? createMask(env);
  const report = context.report(mask);
  tellProblems(plan.problems, env, report);
  if (plan.problems.some(({ refuses }) => refuses)) return { kind: 'broken', why: brokenGate };
  const { why, onlyTrusted, remark } = request.requireTrust ? await checkEventTrust(plan, wanted, plans) : {};
  if (remark !== undefined) context.tell(`hookloop: ${remark}`);
  if (why !== undefined) return { kind: 'untrusted', why: `nothing was run: ${why}` };
  const failures = new Map<HookId, string>();
  const noOne = request.asksNoOne && (await import('./ask-no-one.ts')).createAskNoOne();
  const engine = composeEngine({
    ...plan,
    ...{ env, mask, onlyTrusted, relay: report.line, warn: report.line },
    actions: noOne ? noOne.actions(opened?.actions ?? {}) : opened?.actions,
    wires: noOne?.wires(wires),
    onProgress(progress) {
      report.progress(progress, tellsExit(progress.hook.source.dialect));
      noteFailure(progress, failures);
    },
    detach: true,
    dryRun: request.dryRun,
  });
  const result = await fireOutside(engine, event, opened, ofEvent.every(isRule) ? [] : [context.signal]);
  if (!noOne && !request.dryRun && ofEvent.some(({ shadow }) => shadow))
    (await import('./note-shadows.ts')).noteShadows(event, result, {
      hooks: ofEvent,
      root: plan.places.root,
      env,
      mask,
    });
  return {
    ...{ kind: 'fired', event, hooks: ofEvent, unasked: noOne?.unasked ?? new Map() },
    result: maskDeep(withFailures(result, failures), mask) as EventResult,
  };
}

/** Nothing of it can be cut short. */
const isRule = ({ action }: HookDefinition): boolean => action.kind === 'deny' || action.kind === 'tell';

/** Warnings are for check, list and doctor: here they would be told with every event. */
function tellProblems(problems: readonly Problem[], env: Where['env'], { line }: FireReport): void {
  line(() => {
    const flaws = folderFlaws(env).map(flaw => `hookloop: ${flaw}`);
    return flaws.length === 0 ? undefined : flaws.join('\n');
  });
  for (const problem of problems) if (problem.refuses) line(describeProblem(problem));
  for (const text of errorLines(problems.filter(({ refuses }) => !refuses))) line(text);
}

const tellsExit = (dialect: DialectName): boolean => wires.find(({ name }) => name === dialect)?.summary === 'exit';

/** What is trusted is the whole project, not one dialect of it. */
async function checkEventTrust({ hooks, ...plan }: Plan, request: PlanRequest, plans: PlanSource): Promise<TrustCheck> {
  const { pins, places } = request.only === undefined ? plan : await planFor({ ...request, only: undefined }, plans);
  const { checkHooks } = await import('../hooks/trust/may-run.ts');
  return checkHooks(hooks, { pins, root: places.root, env: request.env });
}

/** A hook that no one waits for has often failed by the time the result is sent. */
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
