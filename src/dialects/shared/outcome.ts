import { type ActionOutcome, type HookEvent, meaningOf, type Output, type Verdict } from '../../model/index.ts';
import { outcomeWords } from '../../model/words.ts';

export const succeeded = (outcome: ActionOutcome): boolean =>
  (outcome.kind === 'exited' && outcome.exitCode === 0) ||
  (outcome.kind === 'replied' && outcome.status >= 200 && outcome.status < 300) ||
  (outcome.kind === 'child-finished' && outcome.succeeded) ||
  (outcome.kind === 'judged' && outcome.ok) ||
  (outcome.kind === 'answered' && meaningOf(outcome.action) === 'approve');

/** Zero passes, everything else (also what could not start or was killed) fails. */
export const byExitCode = (outcome: ActionOutcome, name: string): Verdict =>
  succeeded(outcome) ? { kind: 'passed' } : { kind: 'failed', reason: `${name}: ${outcomeWords(outcome)}` };

export const outputOf = (outcome: ActionOutcome): Output =>
  'stdout' in outcome ? outcome : { stdout: '', stderr: outcome.kind === 'not-started' ? outcome.reason : '' };

/** The variables that every shell hook may use, whichever dialect it is written in. */
export function hookVariables(event: HookEvent): Record<string, string> {
  return {
    HOOK_EVENT: event.name,
    HOOK_SESSION: event.session ?? '',
    HOOK_ITERATION: event.iteration === undefined ? '' : String(event.iteration),
    HOOK_TASK_ID: event.taskId ?? '',
    HOOK_TASK_CONTENT: event.content ?? '',
    HOOK_ERROR: event.error ?? '',
    HOOK_FILE: event.file?.replaceAll('\0', '') ?? '',
  };
}
