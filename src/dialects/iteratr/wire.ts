import type { ActionOutcome, DialectWire, HookDefinition, HookEvent } from '../../model/index.ts';
import { outcomeWords } from '../../model/words.ts';
import { byExitCode, hookVariables, outputOf, succeeded } from '../shared/outcome.ts';

export const events: DialectWire['events'] = {
  session_start: ['session.starting'],
  pre_iteration: ['iteration.starting'],
  post_iteration: ['iteration.completed'],
  session_end: ['session.ended'],
  on_task_complete: ['task.completed'],
  on_error: ['iteration.failed'],
};

/** Each `{{name}}`: the variable that holds its value, and the hook types it has a value in. */
export const placeholders: Readonly<Record<string, { variable: string; types: readonly string[] }>> = {
  session: { variable: 'HOOK_SESSION', types: Object.keys(events) },
  iteration: { variable: 'HOOK_ITERATION', types: ['pre_iteration', 'post_iteration', 'on_error'] },
  task_id: { variable: 'HOOK_TASK_ID', types: ['on_task_complete'] },
  task_content: { variable: 'HOOK_TASK_CONTENT', types: ['on_task_complete'] },
  error: { variable: 'HOOK_ERROR', types: ['on_error'] },
};

export const wire: DialectWire = {
  name: 'iteratr',
  events,
  order: 'all-in-order',
  present: (event, hook) => ({ env: variablesFor(event, hook) }),
  interpret(outcome, hook) {
    const feedback = textOf(outcome);
    return { verdict: byExitCode(outcome, hook.name), ...(feedback !== '' && { feedback }) };
  },
};

/** A placeholder is empty in the hook types it does not belong to, also where the event happens to carry a value. */
function variablesFor(event: HookEvent, hook: HookDefinition): Record<string, string> {
  const env = hookVariables(event);
  for (const { variable, types } of Object.values(placeholders)) if (!types.includes(hook.spelling)) env[variable] = '';
  return env;
}

/** The hook's output as the agent reads it: raw, with the failure in front. */
function textOf(outcome: ActionOutcome): string {
  if (outcome.kind === 'cancelled') return '';
  if (outcome.kind === 'not-started') return headOf(outcome);
  const { stdout, stderr } = outputOf(outcome);
  return headOf(outcome) + stdout + (stderr && `\n[stderr]\n${stderr}`);
}

function headOf(outcome: ActionOutcome): string {
  if (succeeded(outcome)) return '';
  if (outcome.kind === 'timed-out') return `[Hook timed out after ${outcome.afterMs / 1000}s]\nPartial output:\n`;
  return `[Hook command failed: ${causeOf(outcome)}]\n`;
}

function causeOf(outcome: ActionOutcome): string {
  if (outcome.kind === 'exited') return `exit status ${outcome.exitCode}`;
  if (outcome.kind === 'killed') return `signal: ${outcome.signal}`;
  return outcomeWords(outcome);
}
