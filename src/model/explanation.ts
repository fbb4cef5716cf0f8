import type { Decision, EventName, HookResult, ProtectedResult, Verdict } from './index.ts';

/** One decision and all that led to it, as in `why --json`. A contract with scripts: fields are added, never changed. */
export interface Explanation {
  session: string;
  id: number;
  event: EventName;
  at: string;
  /** What the event was about. */
  about: About;
  decision: Pick<Decision, 'kind'> & { reason?: string; by?: string };
  hooks: readonly ExplainedHook[];
  /** How many more hooks did not run. */
  moreSkipped?: number;
  /** What the agent heard of it; null: nothing, or nothing yet. */
  told: string | null;
  /** What followed, as far as it tells what the agent made of it. */
  next: readonly NextThing[];
}

export interface About {
  stage?: string;
  iteration?: number;
  task?: string;
  content?: string;
  tool?: string;
  input?: unknown;
  file?: string;
  /** What a budget or a sign of no progress is about, in words. */
  evidence?: string;
}

export interface ExplainedHook {
  hook: string;
  name: string;
  /** `unfinished`: it had begun, and nothing says how it ended. */
  status: HookResult['status'] | 'unfinished';
  /** Why it did not run. */
  why?: string;
  /** How it ended, in a few words. */
  ended?: string;
  verdict?: Verdict;
  decision?: Decision['kind'];
  /** What a hook that only looks on would have decided. */
  shadow?: Decision['kind'];
  /** Why it failed before it passed, and how often it ran. */
  flaky?: string;
  attempts?: number;
  /** What of the protected files had changed, and what became of that. */
  protect?: ProtectedResult;
  durationMs?: number;
  output?: string;
  /** Files with all that it printed, where that is more. */
  files?: readonly string[];
}

export interface NextThing {
  type: string;
  at: string;
  text: string;
  /** What `why` calls it by, where it is a decision too. */
  id?: number;
}
