import { type ActionOutcome, type HookEvent, meaningOf, type Output, type Verdict } from '../../model/index.ts';

/** What happened, in a few words: `exit code 1`, `timed out after 30 s`. */
export function sayOutcome(outcome: ActionOutcome): string {
  switch (outcome.kind) {
    case 'exited':
      return `exit code ${outcome.exitCode}`;
    case 'killed':
      return `killed by ${outcome.signal}`;
    case 'timed-out':
      return `timed out after ${outcome.afterMs / 1000} s`;
    case 'cancelled':
      return 'cancelled';
    case 'not-started':
      return `could not start: ${outcome.reason}`;
    case 'replied':
      return `HTTP status ${outcome.status}`;
    case 'answered':
      return `answered ${outcome.action}`;
    case 'child-finished':
      return outcome.succeeded ? 'child pipeline succeeded' : 'child pipeline failed';
    case 'judged':
    case 'no-answer':
      return outcome.reason;
  }
}

export const succeeded = (outcome: ActionOutcome): boolean =>
  (outcome.kind === 'exited' && outcome.exitCode === 0) ||
  (outcome.kind === 'replied' && outcome.status >= 200 && outcome.status < 300) ||
  (outcome.kind === 'child-finished' && outcome.succeeded) ||
  (outcome.kind === 'judged' && outcome.ok) ||
  (outcome.kind === 'answered' && meaningOf(outcome.action) === 'approve');

/** Zero passes, everything else (also what could not start or was killed) fails. */
export const byExitCode = (outcome: ActionOutcome, name: string): Verdict =>
  succeeded(outcome) ? { kind: 'passed' } : { kind: 'failed', reason: `${name}: ${sayOutcome(outcome)}` };

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
