import type { ToolKind } from './tools.ts';

/** Something in the life of a session: `<subject>.<moment>`. The full public vocabulary, in the order things happen. */
export const eventNames = [
  'session.starting',
  'session.completed',
  'session.failed',
  'session.ended',
  'plan.completed',
  'stage.starting',
  'stage.completed',
  'iteration.starting',
  'iteration.completed',
  'iteration.failed',
  'step.dispatching',
  'task.starting',
  'task.completing',
  'task.completed',
  'turn.ending',
  'turn.ended',
  'prompt.submitting',
  'tool.calling',
  'tool.called',
  'tool.failed',
  'file.edited',
  'approval.requested',
  'permission.requesting',
  'score.recorded',
  'teammate.idling',
  'branch.creating',
  'commit.creating',
] as const;

export type EventName = (typeof eventNames)[number];

/** A moment in -ing has not happened yet: hooks may refuse it. */
export type PendingEventName = Extract<EventName, `${string}ing`>;

export const isPending = (name: EventName): name is PendingEventName => name.endsWith('ing');

/** What an agent's protocol tells of a tool call that neither its name nor its input says. */
export interface ToolFacts {
  /** Further names that the call was given. */
  names?: readonly string[];
  kinds?: readonly ToolKind[];
  files?: readonly string[];
}

/** What an event may carry. Every field is optional: a missing one is empty for the hook. */
export interface EventFields {
  session?: string;
  at?: string;
  cwd?: string;
  agent?: string;
  /** `planner` or `builder`; gates run for builders only. */
  role?: string;
  stage?: string;
  nextStage?: string;
  iteration?: number;
  maxIterations?: number;
  lastDecision?: string;
  /** `judge` where a judge decided in place of the agent. */
  decidedBy?: string;
  progress?: string;
  statusFile?: string;
  contextFile?: string;
  changedFiles?: readonly string[];
  stageOutputs?: readonly string[];
  error?: string;
  taskId?: string;
  content?: string;
  tool?: string;
  input?: unknown;
  output?: unknown;
  toolCallId?: string;
  file?: string;
  score?: number;
  target?: number;
  title?: string;
  question?: string;
  context?: unknown;
  message?: string;
  /** The agent ends its turn once more: hooks have sent it back to work before. */
  again?: boolean;
  duration?: number;
  status?: string;
}

export interface HookEvent<Name extends EventName = EventName> extends EventFields {
  name: Name;
  /** Fields nobody knows, passed through untouched to hooks that get JSON. */
  extra?: Readonly<Record<string, unknown>>;
  /** Hooks are matched by it; they are not shown it. */
  facts?: ToolFacts;
}
