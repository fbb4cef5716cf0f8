// Checked by tsc, never run: what the public types promise, and what they must refuse.
import {
  type Action,
  type ActionOutcome,
  type ActionRunners,
  ConfigError,
  createEngine,
  type Decision,
  type Dialect,
  describeProblem,
  type dialects,
  type Engine,
  type EventName,
  type EventResult,
  type eventNames,
  type HookDefinition,
  type HookEvent,
  type HookResult,
  isPending,
  type LibraryOptions,
  type LoadedHooks,
  loadHooks,
  type PendingEventName,
  type Problem,
  type Progress,
  type RunAction,
  toEvent,
  type Verdict,
} from '../src/index.ts';
import type { DialectName, Scope } from '../src/model/index.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function holds<Claim extends true>(): Claim;

export async function embedding(): Promise<void> {
  const loaded = loadHooks({ cwd: '/project', env: { HOME: '/home' }, only: 'sauna' });
  holds<Same<typeof loaded, LoadedHooks>>();
  const engine = createEngine(loaded, { onProgress: progress => void progress.hook.id, dryRun: true });
  holds<Same<typeof engine, Engine>>();
  const result = await engine.fire({ name: 'tool.calling', tool: 'Bash', input: { command: 'ls' } });
  holds<Same<typeof result, EventResult>>();
  await engine.fire({ name: 'turn.ended' }, { signal: new AbortController().signal });
  await engine.settle();

  // @ts-expect-error: not a dialect
  loadHooks({ only: 'saunas' });
  // @ts-expect-error: no such event
  await engine.fire({ name: 'tool.call' });
  // @ts-expect-error: iterations are numbers
  await engine.fire({ name: 'iteration.starting', iteration: '3' });
  // @ts-expect-error: an event has a name
  await engine.fire({ tool: 'Bash' });
  // @ts-expect-error: an engine needs loaded hooks
  createEngine();
}

export function events(name: EventName): void {
  holds<Same<(typeof eventNames)[number], EventName>>();
  holds<Same<Extract<PendingEventName, 'tool.calling' | 'tool.called'>, 'tool.calling'>>();
  if (isPending(name)) holds<Same<typeof name, PendingEventName>>();
  const reading = toEvent(name, { anything: [1] }, () => '2026-01-01T00:00:00Z');
  if (reading.kind === 'event') holds<Same<typeof reading.event, HookEvent>>();
  else holds<Same<typeof reading.flaws, readonly string[]>>();
  const event: HookEvent<'task.completed'> = { name: 'task.completed', taskId: '7' };
  // @ts-expect-error: another event
  event.name = 'task.starting';
}

export function decisions(decision: Decision, verdict: Verdict, result: HookResult): string {
  // @ts-expect-error: to proceed needs no reason
  void decision.reason;
  // @ts-expect-error: only a hook that finished has an outcome
  void result.outcome;
  if (verdict.kind !== 'passed') holds<Same<typeof verdict.reason, string>>();
  if (result.status === 'finished') holds<Same<typeof result.outcome, ActionOutcome>>();
  switch (decision.kind) {
    case 'proceed':
      return '';
    case 'revise':
    case 'block':
    case 'abort':
      return decision.reason + decision.by;
    default:
      return decision satisfies never;
  }
}

export function actions(): ActionRunners {
  const webhook: RunAction<'webhook'> = async ({ url }, { signal }) => {
    holds<Same<typeof url, string>>();
    return signal.aborted ? { kind: 'cancelled' } : { kind: 'replied', status: 200, body: '' };
  };
  // @ts-expect-error: an outcome that does not exist
  const spawn: RunAction<'spawn'> = async () => ({ kind: 'done' });
  // @ts-expect-error: a runner of another kind of action
  const wrong: ActionRunners = { shell: webhook };
  return { webhook, spawn, ...wrong };
}

export function hooks(hook: HookDefinition, action: Action, problem: Problem): void {
  holds<Same<typeof hook.timeoutMs, number | null>>();
  holds<Same<HookDefinition['source']['dialect'], DialectName>>();
  holds<Same<HookDefinition['source']['scope'], Scope>>();
  if (action.kind === 'shell') holds<Same<typeof action.command, string>>();
  holds<Same<ReturnType<typeof describeProblem>, string>>();
  describeProblem(problem);
  holds<Same<typeof dialects, readonly Dialect[]>>();
  holds<Same<ConfigError['problems'], readonly Problem[]>>();
  const options: LibraryOptions = { onProgress: (progress: Progress) => void progress.type };
  void [options, new ConfigError([problem])];
  // @ts-expect-error: definitions are not rewritten
  loadHooks().hooks[0] = hook;
}
