import type { ActionOutcome } from './action.ts';
import { type EventName, isPending } from './event.ts';
import type { HookDefinition, HookId } from './hook.ts';

/**
 * What one hook said. `failed`: the hook broke, its failure policy decides. `rejected`: it worked and said no.
 * `asked`: it wants a person to decide. `stopped`: it wants the whole session to end.
 */
export type Verdict =
  | { kind: 'passed' }
  | { kind: 'failed'; reason: string }
  | { kind: 'rejected'; reason: string }
  | { kind: 'asked'; reason: string }
  | { kind: 'stopped'; reason: string };

/**
 * What the session does next. `input`: a hook wants the tool to be called with this instead. `output`: the agent is to see
 * this instead of what the tool gave back.
 */
export type Decision =
  | { kind: 'proceed'; input?: unknown; output?: unknown }
  | { kind: 'revise'; reason: string; by: HookId }
  | { kind: 'block'; reason: string; by: HookId; ask?: true; input?: unknown }
  | { kind: 'abort'; reason: string; by: HookId };

export type Refusal = Exclude<Decision, { kind: 'proceed' }>;

export type HookResult =
  /** `passed`: it has passed before, and would again. */
  | { status: 'skipped'; hook: HookId; why: string; passed?: true }
  /** `failed`: why it did, where that is known before the answer is given. */
  | { status: 'detached'; hook: HookId; failed?: string }
  | {
      status: 'finished';
      hook: HookId;
      outcome: ActionOutcome;
      verdict: Verdict;
      decision: Decision;
      /** Text for the agent, capped and masked. */
      feedback?: string;
      /** Text for the person, the same way. */
      message?: string;
      /** The JSON object the hook answered with, where its dialect reads one. */
      answer?: Readonly<Record<string, unknown>>;
      /** Why it failed before it passed. */
      flaky?: string;
      /** Of a hook that only looks on: what it would have decided. */
      shadow?: Decision;
      /** What the tool is to be called with instead. */
      input?: unknown;
      /** What the agent is to see instead of the tool's own output. */
      output?: unknown;
      /** What of the files that the gate depends on was changed by who it judges, and what became of that. */
      protect?: ProtectedResult;
      /** Stands for the files that it looked at. */
      files?: string;
      attempts: number;
      durationMs: number;
    };

export interface ProtectedResult {
  /** As in `package.json#/scripts`. */
  changed: readonly string[];
  /** `passed`: with the originals too. `accepted`: a person said yes. */
  held: 'passed' | 'refused' | 'accepted';
  by?: string;
}

export interface EventResult {
  event: EventName;
  decision: Decision;
  /** Texts of all hooks in hook order, joined with a newline. */
  feedback: string;
  results: readonly HookResult[];
}

export const proceed: Decision = { kind: 'proceed' };

/** What a verdict means for the session. A refusal of something that has already happened becomes `revise`. */
export function decide(verdict: Verdict, outcome: ActionOutcome, hook: HookDefinition): Decision {
  const by = hook.id;
  if (outcome.kind === 'not-started' && outcome.ends) return { kind: 'abort', reason: outcome.reason, by };
  switch (verdict.kind) {
    case 'passed':
      return proceed;
    case 'failed': {
      // A person answered: the hook worked, and its file says that a no is no reason to stop.
      if (outcome.kind === 'answered' && hook.action.kind === 'webhook' && hook.action.onReject === 'continue')
        return proceed;
      const policy = outcome.kind === 'timed-out' ? hook.onTimeout : hook.onFailure;
      if (policy === 'continue') return proceed;
      return { kind: policy === 'block' ? refusalKindOf(hook.event) : policy, reason: verdict.reason, by };
    }
    case 'rejected':
      // A judge's no is the failure of its hook: where that ends the session, so does this.
      if (outcome.kind === 'judged' && hook.onFailure === 'abort') return { kind: 'abort', reason: verdict.reason, by };
      return { kind: refusalKindOf(hook.event), reason: verdict.reason, by };
    case 'asked':
      return isPending(hook.event) ? { kind: 'block', reason: verdict.reason, by, ask: true } : proceed;
    case 'stopped':
      return { kind: 'abort', reason: verdict.reason, by };
  }
}

/** The strictest decision wins; reasons of equally strict ones are joined in hook order. */
export function strictest(decisions: readonly Decision[]): Decision {
  const top = Math.max(0, ...decisions.map(strictness));
  if (top === 0) return decisions.findLast(changesSomething) ?? proceed;
  const winners = decisions.filter((decision): decision is Refusal => strictness(decision) === top);
  const reason = [...new Set(winners.map(winner => winner.reason).filter(text => text !== ''))].join('\n');
  return { ...winners[0]!, reason };
}

const changesSomething = (decision: Decision): boolean =>
  decision.kind === 'proceed' && (decision.input !== undefined || decision.output !== undefined);

const refusalKindOf = (event: EventName): 'block' | 'revise' => (isPending(event) ? 'block' : 'revise');

function strictness(decision: Decision): number {
  if (decision.kind === 'block') return decision.ask ? 2 : 3;
  return { proceed: 0, revise: 1, abort: 4 }[decision.kind];
}
