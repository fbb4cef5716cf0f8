import type { ActionOutcome, HookDefinition, Verdict } from '../../model/index.ts';
import { byExitCode, sayOutcome, succeeded } from './outcome.ts';

/** What an action's outcome means in agent-pipelines' grammar. */
export function verdictOf(outcome: ActionOutcome, hook: HookDefinition): Verdict {
  if (outcome.kind === 'answered') return answerVerdict(outcome, hook);
  if (outcome.kind === 'judged')
    return outcome.ok ? { kind: 'passed' } : { kind: 'rejected', reason: outcome.reason || `${hook.name} said no` };
  const verdict = byExitCode(outcome, hook.name);
  // A question nobody was asked was not answered with yes.
  if (hook.settings?.['unsent'] === 'abort' && outcome.kind !== 'timed-out' && !succeeded(outcome))
    return { kind: 'stopped', reason: `${hook.name}: could not be asked (${sayOutcome(outcome)})` };
  return verdict;
}

const refusals: ReadonlySet<string> = new Set(['reject', 'abort', 'deny', 'no']);

/** A person's no ends the session; with `on_reject: continue` it only counts as a failed action. Any other word goes on. */
function answerVerdict(outcome: Extract<ActionOutcome, { kind: 'answered' }>, hook: HookDefinition): Verdict {
  const word = outcome.action.trim().toLowerCase();
  if (!refusals.has(word)) return { kind: 'passed' };
  const said = outcome.message.trim();
  const reason = `${hook.name}: answered ${word}${said === '' ? '' : `: ${said}`}`;
  const goesOn = hook.action.kind === 'webhook' && hook.action.onReject === 'continue';
  return { kind: goesOn ? 'failed' : 'stopped', reason };
}
