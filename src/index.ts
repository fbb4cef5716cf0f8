import type * as sessions from './app/session-handle.ts';

export {
  deny,
  type FunctionAnswer,
  type FunctionHook,
  type FunctionHooks,
  proceed,
  tell,
} from './app/function-hooks.ts';
export {
  ConfigError,
  createEngine,
  dialects,
  type Engine,
  fire,
  type LibraryOptions,
  type LoadedHooks,
  type LoadOptions,
  loadHooks,
  SessionError,
} from './app/library.ts';
export type { Session, SessionOptions, SessionOutcome } from './app/session-handle.ts';
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
  type Progress,
  type RunAction,
  toEvent,
  type Verdict,
} from './model/index.ts';
export type { Notice } from './model/notice.ts';

/** The loop is large: it is read when the first session begins. */
const loadSessions = (): Promise<typeof sessions> => import('./app/session-handle.ts');

/** Starts a session and returns at once. Contract: rejects with SessionError where nothing runs. */
export const startSession = async (options: sessions.SessionOptions): Promise<sessions.Session> =>
  (await loadSessions()).startSession(options);

/** Goes on with a session of the project. Contract: as `startSession`; hooks that are functions are those given here. */
export const resumeSession = async (...args: Parameters<typeof sessions.resumeSession>): Promise<sessions.Session> =>
  (await loadSessions()).resumeSession(...args);
