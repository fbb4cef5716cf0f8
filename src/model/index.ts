export type {
  Action,
  ActionKind,
  ActionOutcome,
  Invocation,
  JudgeAction,
  Output,
  ShellAction,
  SpawnAction,
  WebhookAction,
} from './action.ts';
export {
  type Decision,
  decide,
  type EventResult,
  type HookResult,
  proceed,
  type Refusal,
  strictest,
  type Verdict,
} from './decision.ts';
export {
  type EventFields,
  type EventName,
  eventNames,
  type HookEvent,
  isPending,
  type PendingEventName,
} from './event.ts';
export { coversEvent, type EventReading, type FieldRule, fieldRules, toEvent } from './fields.ts';
export {
  type DialectName,
  dialectNames,
  type FailurePolicy,
  type HookDefinition,
  type HookId,
  type Match,
  type Scope,
  type Source,
  scopes,
  type ToolMatch,
} from './hook.ts';
export type {
  ActionRun,
  ActionRunners,
  AroundHook,
  Carried,
  Dialect,
  DialectConfig,
  DialectWire,
  EvaluateCondition,
  Found,
  HookRun,
  Interpretation,
  Location,
  Normalised,
  Places,
  Presentation,
  PresentContext,
  RunAction,
  RunMemory,
  Script,
} from './ports.ts';
export { describeProblem, type Paint, type Position, type Problem, printable } from './problem.ts';
