import {
  type ActionOutcome,
  type Carried,
  type DialectWire,
  type HookDefinition,
  type HookEvent,
  type Interpretation,
  meaningOf,
  type Verdict,
} from '../../model/index.ts';
import { outcomeWords } from '../../model/words.ts';
import { byExitCode, hookVariables, refusalMessage, succeeded } from '../shared/outcome.ts';

/** agent-pipelines' six hook points. */
export const events = {
  on_session_start: ['session.starting'],
  on_iteration_start: ['iteration.starting'],
  on_iteration_complete: ['iteration.completed'],
  on_stage_complete: ['stage.completed'],
  on_session_complete: ['session.completed'],
  on_error: ['iteration.failed'],
} as const satisfies DialectWire['events'];

export const wire: DialectWire = {
  name: 'pipelines',
  events,
  order: 'in-order',
  chain: 'actions',
  present: (event, _hook, { carried }) => ({ env: { ...hookVariables(event), ...pipelineVariables(event, carried) } }),
  interpret: interpretAction,
};

/** agent-pipelines' variables of an event: for the environment, for conditions and for `${NAME}` in requests. Missing ones are empty. */
export const pipelineVariables = (event: HookEvent, carried: Carried): Record<string, string> => ({
  SESSION: event.session ?? '',
  STAGE: event.stage ?? '',
  NEXT_STAGE: event.nextStage ?? '',
  ITERATION: numberText(event.iteration),
  MAX_ITERATIONS: numberText(event.maxIterations),
  PROGRESS: event.progress ?? '',
  STATUS: event.statusFile ?? '',
  CTX: event.contextFile ?? '',
  LAST_DECISION: event.lastDecision ?? '',
  LAST_HOOK_STATUS: carried.lastHookStatus,
  CHANGED_FILES: (event.changedFiles ?? []).join('\n'),
  STAGE_OUTPUTS: (event.stageOutputs ?? []).join('\n'),
  ERROR: event.error ?? '',
  TIMESTAMP: event.at ?? '',
  HOOK_RESPONSE: carried.hookResponse,
  SPAWN_OUTPUT: carried.spawnOutput,
  ...(carried.callbackUrl !== undefined && { CALLBACK_URL: carried.callbackUrl }),
});

const numberText = (value: number | undefined): string => (value === undefined ? '' : String(value));

/** What an action's outcome means in agent-pipelines' grammar. */
export function interpretAction(outcome: ActionOutcome, hook: HookDefinition, event: HookEvent): Interpretation {
  const verdict = verdictOf(outcome, hook);
  return verdict.kind === 'passed' ? { verdict } : { verdict, refusal: refusalMessage(outcome, hook, event) };
}

function verdictOf(outcome: ActionOutcome, hook: HookDefinition): Verdict {
  if (outcome.kind === 'answered') return answerVerdict(outcome, hook);
  if (outcome.kind === 'judged')
    return outcome.ok ? { kind: 'passed' } : { kind: 'rejected', reason: outcome.reason || `${hook.name} said no` };
  const verdict = byExitCode(outcome, hook.name);
  // A question that no one was asked was not answered with yes.
  if (hook.settings?.['unsent'] === 'abort' && outcome.kind !== 'timed-out' && !succeeded(outcome))
    return { kind: 'stopped', reason: `${hook.name}: could not be asked (${outcomeWords(outcome)})` };
  return verdict;
}

/** A person's no ends the session; with `on_reject: continue` it only counts as a failed action. A word that is no answer is no yes. */
function answerVerdict(outcome: Extract<ActionOutcome, { kind: 'answered' }>, hook: HookDefinition): Verdict {
  const own = hook.action.kind === 'webhook' ? hook.action.actions : undefined;
  if (meaningOf(outcome.action, own) === 'approve') return { kind: 'passed' };
  const said = outcome.message.trim();
  const reason = `${hook.name}: answered ${outcome.action.trim()}${said === '' ? '' : `: ${said}`}`;
  const goesOn = hook.action.kind === 'webhook' && hook.action.onReject === 'continue';
  return { kind: goesOn ? 'failed' : 'stopped', reason };
}
