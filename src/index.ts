export { ConfigError, createEngine, type LibraryOptions } from './app/library.ts';
export { dialects } from './dialects/index.ts';
export type { Engine } from './engine/engine.ts';
export type { Progress } from './engine/run-hook.ts';
export { type LoadedHooks, type LoadOptions, loadHooks } from './hooks/discovery/load.ts';
export {
  type Action,
  type ActionOutcome,
  type ActionRun,
  type ActionRunners,
  type Decision,
  type Dialect,
  describeProblem,
  type EventFields,
  type EventName,
  type EventResult,
  eventNames,
  type HookDefinition,
  type HookEvent,
  type HookResult,
  isPending,
  type PendingEventName,
  type Problem,
  type RunAction,
  toEvent,
  type Verdict,
} from './model/index.ts';
