import type { ActionOutcome, Decision, HookResult, Verdict } from '../../model/index.ts';
import { entryOf, type Field, fieldsOf, holdsAll } from './field.ts';

/** Whether a result read from a file is one that we know how to tell. */
export function isKnownResult(result: HookResult): boolean {
  if (result.status === 'skipped') return typeof result.why === 'string';
  if (result.status !== 'finished') return result.status === 'detached';
  if (!holdsAll(result, finishedFields)) return false;
  const { outcome, verdict, decision } = result;
  const outcomeFields = entryOf(outcomes, outcome.kind);
  return (
    outcomeFields !== undefined &&
    holdsAll(outcome, outcomeFields) &&
    holdsAll(verdict, entryOf(verdicts, verdict.kind) ?? never) &&
    entryOf(decisions, decision.kind) !== undefined
  );
}

const finishedFields = fieldsOf(
  ...['outcome.kind:string', 'verdict.kind:string', 'decision.kind:string', 'feedback:string?'],
  ...['attempts:number', 'durationMs:number'],
);

const printed = [
  ...['stdout:string', 'stderr:string', 'truncated:object?'],
  ...['truncated.stdoutFile:string?', 'truncated.stderrFile:string?'],
];

const outcomes: Readonly<Record<ActionOutcome['kind'], readonly Field[]>> = {
  exited: fieldsOf('exitCode:number', ...printed),
  killed: fieldsOf('signal:string', ...printed),
  'timed-out': fieldsOf('afterMs:number', ...printed),
  cancelled: [],
  'not-started': fieldsOf('reason:string'),
  replied: fieldsOf('status:number', 'body:string'),
  answered: fieldsOf('action:string', 'message:string', 'by:string?', 'at:string?'),
  'child-finished': fieldsOf('output:string'),
  judged: fieldsOf('reason:string'),
  'no-answer': fieldsOf('reason:string'),
};

const reason = fieldsOf('reason:string');
const never = fieldsOf('no such verdict:string');
const verdicts: Readonly<Record<Verdict['kind'], readonly Field[]>> = {
  passed: [],
  failed: reason,
  rejected: reason,
  asked: reason,
  stopped: reason,
};
const decisions: Readonly<Record<Decision['kind'], true>> = { proceed: true, revise: true, block: true, abort: true };
