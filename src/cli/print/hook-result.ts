import type { ActionOutcome, Decision, EventName, HookResult, ProtectedResult, Verdict } from '../../model/index.ts';
import { byWords, counted, durationWords, outcomeWords, printedBy, protectWords } from '../../model/words.ts';
import { firstLines, named, outerLines, shortened } from './text.ts';
import type { Told } from './told.ts';

export interface HookFinished {
  name: string;
  event: EventName;
  result: HookResult;
  /** What the event is about, as in `task T1`. */
  subject: string;
  /** Of a gate: the agent has no attempt left to fix it. */
  noFixLeft?: true | undefined;
}

/** What a hook's result is to people. */
export function hookWords(finished: HookFinished): Told {
  const told = endWords(finished);
  const said = messageLines(finished.result);
  // A hook that has something to say to the person stays in sight whatever it decided.
  return said.length === 0 ? told : { ...told, details: [...said, ...(told.details ?? [])], lasting: true };
}

/** What a hook has to say to the person. */
export function messageLines(result: HookResult): string[] {
  if (result.status !== 'finished' || result.message === undefined) return [];
  return firstLines(result.message, maxReasonLines).lines.map(line => `says: ${line}`);
}

function endWords({ name, event: aside, result, subject, noFixLeft }: HookFinished): Told {
  const hook = `hook ${named(name)}`;
  if (result.status === 'skipped')
    return { mark: 'note', text: `${hook} did not run: ${shortened(result.why)}`, aside };
  if (result.status === 'detached') return { mark: 'note', text: `${hook} started, no one waits for it`, aside };
  const { verdict, decision, outcome } = result;
  const then = consequenceOf(decision.kind, aside, subject, fixWords(outcome, noFixLeft));
  const attempts = result.attempts > 1 ? ` and ${counted(result.attempts, 'attempt')}` : '';
  if (result.shadow) return shadowWords(hook, result, result.shadow, aside, subject);
  const took = `${durationWords(result.durationMs)}${attempts}`;
  const how = answeredHow(outcome);
  if (verdict.kind === 'passed')
    return {
      mark: 'done',
      text: `${hook} passed in ${took}${how}${flakyWords(result.flaky)}${keptWords(result.protect)}${toAgent(result.feedback)}`,
      aside,
      ...((!isPassing(aside, result) || result.flaky !== undefined || result.protect) && { lasting: true }),
    };
  if (verdict.kind === 'failed' && outcome.kind === 'answered' && decision.kind !== 'proceed') {
    const why = outcome.message.trim() === '' ? '' : `: ${shortened(outcome.message)}`;
    const what = decision.kind === 'block' ? `refused ${subject}` : 'said no';
    return {
      mark: 'refused',
      text: `${hook} ${what}${why}${how}${decision.kind === 'block' ? '' : then}`,
      aside,
      lasting: true,
    };
  }
  if (verdict.kind === 'failed')
    return {
      mark: decision.kind === 'proceed' ? 'note' : 'failed',
      text: `${hook} failed in ${took}: ${result.protect ? shortened(verdict.reason) : failureWords(outcome, verdict)}${then}`,
      aside,
      details: outputLines(outcome),
      lasting: true,
    };
  const { lines } = firstLines(verdict.reason, maxReasonLines);
  const why = lines.length === 1 ? `: ${shortened(lines[0]!)}` : '';
  const isOnlyNo = verdict.kind === 'rejected' && decision.kind !== 'block';
  const said = isOnlyNo ? 'said no' : refusals[verdict.kind](subject);
  return {
    mark: verdict.kind === 'asked' ? 'asked' : 'refused',
    text: `${hook} ${said}${how}${why}${isOnlyNo ? then : ''}`,
    aside,
    details: lines.length === 1 ? [] : lines,
    lasting: true,
  };
}

const flakyWords = (failed: string | undefined): string =>
  failed === undefined ? '' : `, flaky: ${shortened(firstLines(failed, 1).lines[0] ?? '')}`;

const keptWords = (protect: ProtectedResult | undefined): string =>
  protect ? `, ${shortened(protectWords(protect))}` : '';

/** A hook that only looks on stays in sight where it would have refused something. */
function shadowWords(
  hook: string,
  { verdict, durationMs }: Extract<HookResult, { status: 'finished' }>,
  would: Decision,
  aside: EventName,
  subject: string,
): Told {
  const took = durationWords(durationMs);
  if (would.kind === 'proceed') {
    const ended = verdict.kind === 'passed' ? 'passed' : 'failed';
    return { mark: 'note', text: `${hook} ${ended} in ${took} (shadow)`, aside };
  }
  const [why = ''] = firstLines(would.reason, 1).lines;
  const what = would.kind === 'abort' ? 'ended the session' : `refused ${subject}`;
  const asks = would.kind === 'block' && would.ask ? 'asked a person about' : undefined;
  const text = `${hook} would have ${asks === undefined ? what : `${asks} ${subject}`} (shadow): ${shortened(why)}`;
  return { mark: 'note', text, aside, lasting: true };
}

/** Some hooks let every call pass, many a minute, and have nothing to say. */
const isPassing = (event: EventName, { durationMs, feedback }: { durationMs: number; feedback?: string }): boolean =>
  /^(tool|permission|file|prompt|step)\./.test(event) && durationMs < longMs && !feedback?.trim();
const longMs = 1000;

const refusals: Readonly<Record<'rejected' | 'asked' | 'stopped', (subject: string) => string>> = {
  rejected: subject => `refused ${subject}`,
  asked: subject => `wants a person to decide on ${subject}`,
  stopped: () => 'ends the session',
};

/** Who said so, where it was a person or a program in their place. */
const answeredHow = (outcome: ActionOutcome): string =>
  outcome.kind === 'answered' && outcome.by ? ` (answered ${byWords(shortened(outcome.by))})` : '';

/** A hook that a crash had cut off. */
export const againWords = ({ name, event, attempt }: { name: string; event: EventName; attempt: number }): Told => ({
  mark: 'note',
  text: `hook ${named(name)} runs again, attempt ${attempt}`,
  aside: event,
});

/** What broke the hook, in a few words. */
function failureWords(outcome: ActionOutcome, { reason }: Extract<Verdict, { kind: 'failed' }>): string {
  if (outcome.kind === 'exited' && outcome.exitCode === 0) return shortened(reason);
  if (outcome.kind === 'not-started') return shortened(outcome.reason);
  if (outcome.kind === 'answered') return shortened(`answered ${outcome.action} ${outcome.message}`);
  if (outcome.kind === 'child-finished') return `the child pipeline ${outcome.succeeded ? 'completed' : 'failed'}`;
  return shortened(outcomeWords(outcome, durationWords));
}

/** A task that its gates refuse goes back to the agent. */
function consequenceOf(kind: Decision['kind'], event: EventName, subject: string, fix: string): string {
  if (kind === 'proceed') return '; the session continues';
  if (kind === 'abort') return '; the session ends';
  if (kind !== 'revise' && event !== 'task.completing') return `; ${subject} is refused`;
  return fix;
}

/** A gate is cancelled where its session ends: the agent hears nothing of it. */
function fixWords(outcome: ActionOutcome, noFixLeft: true | undefined): string {
  if (outcome.kind === 'cancelled') return '';
  return noFixLeft ? '; the agent has no fix attempt left' : '; the agent fixes it';
}

const maxReasonLines = 5;
const [firstOutputLines, lastOutputLines] = [2, 6];

const toAgent = (feedback: string | undefined): string =>
  feedback?.trim() ? `, ${counted(feedback.trim().split('\n').length, 'line')} for the agent` : '';

const outputLines = (outcome: ActionOutcome): readonly string[] =>
  'stdout' in outcome ? outerLines(printedBy(outcome), firstOutputLines, lastOutputLines) : [];
