import type { Usage, UsageTotal } from './agent.ts';
import type { HookResult } from './decision.ts';
import type { EventFields, EventName } from './event.ts';
import type { HookId } from './hook.ts';
import type { Spent } from './limits.ts';
import type { FileChange, SessionStatus, Task } from './record.ts';
import type { TaskCount } from './task-count.ts';

/** What whoever watches a session is told, as it happens. One line each of `run --json`; texts are masked. */
export type Notice = { at: string; session: string } & NoticeBody;

export type NoticeBody =
  /**
   * An event, as it fires; `id` is what `why` calls it by, `approval` is the id of a question that waits for a person. Those
   * of tasks and iterations count the tasks.
   */
  | ({ type: EventName; id?: number; approval?: string } & Partial<TaskCount> & Omit<EventFields, 'at' | 'session'>)
  /** `attempt`: more than 1 where a crash cut an earlier one off. `status`: what its file says that it does meanwhile. */
  | ({ type: 'hook.started'; wait: boolean; attempt: number; status?: string } & HookAt)
  /** `noFixLeft`: a gate refused, and the agent has no attempt left to fix it. */
  | ({ type: 'hook.finished'; result: HookResult; noFixLeft?: true } & HookAt)
  /** A piece of what the agent says; pieces follow each other without separators. */
  | { type: 'agent.message'; text: string }
  | { type: 'agent.tool'; id: string; title: string; status: 'pending' | 'running' | 'completed' | 'failed' }
  /** What the session has used so far, as far as its agents tell; the context is that of the present conversation. */
  | ({ type: 'agent.usage'; budgets?: readonly Spent[] } & UsageTotal & Pick<Usage, 'contextUsed' | 'contextSize'>)
  /** A person has answered an agent or a script of the session; what hooks ask ends with `hook.finished`. */
  | ({ type: 'approval.answered'; approval: string; action: 'approve' | 'reject'; message: string } & Answered)
  | ({ type: 'session.summary' } & SessionSummary);

/** A hook and where its event happened: one that no one waits for may end when the session is elsewhere. */
export interface HookAt {
  hook: HookId;
  name: string;
  event: EventName;
  /** What `why` calls its event by. */
  id?: number;
  stage?: string;
  iteration?: number;
  maxIterations?: number;
}

interface Answered {
  title?: string;
  question: string;
  /** In which way, and who where it is known. */
  by?: string;
}

export interface SessionSummary extends SpentSummary {
  status: SessionStatus;
  reason?: string;
  durationMs: number;
  stages: readonly StageSummary[];
  hooks: readonly HookSummary[];
  tasks: readonly Task[];
  /** Absent where no agent tells what it uses. */
  usage?: UsageTotal;
  /** What is spent of the session's budgets and of the day's, where there are any. */
  budgets?: readonly Spent[];
  /** How often the agent made no progress. */
  stalls?: number;
  /** Tasks that were open when the session began and are gone from its checklist, neither done nor dropped. */
  gone?: readonly Pick<Task, 'id' | 'content'>[];
  /** The command that goes on with the session, where there is something to go on with. */
  resume?: string;
}

/** What a session has spent its time on, and what came of it. */
export interface SpentSummary {
  /** In turns of the agent, in hooks that were waited for, with people who were asked, in pauses; none is counted twice. */
  time: { agentMs: number; hooksMs: number; peopleMs: number; pausedMs?: number };
  /** Events that were refused, and how many of them the agent has fixed since. */
  refusals: { count: number; fixed: number };
  /** What its agents have changed. */
  files: readonly FileChange[];
}

export interface StageSummary {
  stage: string;
  /** `skipped`: the session ended before it. */
  status: SessionStatus | 'skipped';
  /** How many were begun. */
  iterations: number;
  maxIterations: number;
  failedIterations: number;
  durationMs: number;
  /** Why the stage ended: `max_iterations`, `consensus`, `judged`, `queue_empty`, or the failure. */
  reason?: string;
}

export interface HookSummary {
  hook: HookId;
  name: string;
  event: EventName;
  runs: number;
  /** Broke: did not exit well, could not start, timed out. */
  failed: number;
  /** Refused something. */
  refused: number;
  /** In shadow, and would have refused; absent where it never did. */
  wouldRefuse?: number;
  /** Passed after failing; absent where it never did. */
  flaky?: number;
  totalMs: number;
}

export interface HookOutput extends Pick<HookAt, 'hook' | 'event'> {
  lines: readonly string[];
}

/** Something a person should read that is no event of the session: never part of `--json`. */
export interface Remark {
  level: 'info' | 'warning' | 'error';
  text: string;
}

/** What the person at the terminal says to a question, a no with its reason or an empty one; `no-one`: none is there. */
export type PersonSays = 'yes' | { no: string } | 'no-one';

/** Whoever shows a session to people or programs. Contract: does not throw, does not block. */
export interface Watcher {
  notice(notice: Notice): void;
  remark(remark: Remark): void;
  /** The last lines of a running hook, each time there are others; never part of `--json`. */
  output?(output: HookOutput): void;
}
