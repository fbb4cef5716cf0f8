import { wires } from '../../dialects/wires.ts';
import { type ActionOutcome, type Decision, type DialectWire, decide, type HookDefinition } from '../../model/index.ts';
import { outcomeWords } from '../../model/words.ts';

/**
 * How near two hooks are in what they decide and say, over outcomes of every kind. `more`: the second decides the same and
 * tells the agent all that the first does, and something beside it. `other`: after so many outcomes they differ, and how.
 */
export type Likeness = { kind: 'same' | 'more' } | { kind: 'other'; after: number; why: string };

export function likeness(old: HookDefinition, now: HookDefinition): Likeness {
  let kind: 'same' | 'more' = 'same';
  for (const [after, outcome] of outcomesOf(old).entries()) {
    const [was, is] = [judged(old, outcome), judged(now, outcome)];
    const why = difference(was, is, old, now);
    if (why !== undefined) return { kind: 'other', after, why: `${shownOutcome(outcome)}: ${why}` };
    const goesOn = was.decision === 'proceed';
    if (goesOn && ((was.told === '') !== (is.told === '') || words.some(word => tells(is, word) && !tells(was, word))))
      kind = 'more';
  }
  return { kind };
}

function difference(was: Judged, is: Judged, old: HookDefinition, now: HookDefinition): string | undefined {
  if (was.decision !== is.decision) return `here it means ${was.decision}, in a native hook ${is.decision}`;
  if (old.retry && was.isFailed !== is.isFailed) return 'a native hook would be tried again otherwise';
  if (was.told === '') return undefined;
  const isLate = was.decision === 'proceed' && old.feedback !== now.feedback;
  const isLost = is.told === '' || words.some(word => tells(was, word) && !tells(is, word));
  return isLate || isLost ? 'the agent would not hear the same' : undefined;
}

const tells = ({ told }: Judged, word: string): boolean => told.includes(word);

/** For people: what happened. */
function shownOutcome(outcome: ActionOutcome): string {
  if (outcome.kind !== 'exited') return outcomeWords(outcome);
  const isAnswer = outcome.stdout.startsWith('{');
  return `exit code ${outcome.exitCode}${isAnswer ? ` with the answer ${outcome.stdout}` : ''}`;
}

interface Judged {
  decision: string;
  isFailed: boolean;
  /** What reaches the agent. */
  told: string;
}

/** As the engine does it, without running anything. */
function judged(hook: HookDefinition, outcome: ActionOutcome): Judged {
  const { verdict, refusal, feedback } = wireOf(hook).interpret(outcome, hook, { name: hook.event });
  const decision = decide(verdict, outcome, hook);
  const refuses = decision.kind !== 'proceed';
  const said = hook.feedback === 'none' ? '' : (feedback ?? '');
  const told = refuses && refusal !== undefined && decision.kind !== 'abort' ? refusal : said;
  return {
    decision: wordFor(decision),
    isFailed: verdict.kind === 'failed',
    told: told || (decision.kind === 'proceed' ? '' : decision.reason),
  };
}

const wordFor = (decision: Decision): string => (decision.kind === 'block' && decision.ask ? 'ask' : decision.kind);

export const wireOf = (hook: HookDefinition): DialectWire => wires.find(({ name }) => name === hook.source.dialect)!;

/** Stand in outcomes where a hook has something to say. */
const words = ['PRINTED', 'COMPLAINED', 'BECAUSE', 'BESIDES'];

function outcomesOf({ action, timeoutMs }: HookDefinition): readonly ActionOutcome[] {
  const late = timeoutMs === null ? [] : [{ ...said, kind: 'timed-out', afterMs: timeoutMs } as const];
  const broken: readonly ActionOutcome[] = [...late, { kind: 'not-started', reason: 'not found' }];
  switch (action.kind) {
    case 'shell':
      return [...exits, { ...said, kind: 'killed', signal: 'SIGKILL' }, ...broken];
    case 'webhook': {
      const answers = ['approve', 'reject', ...Object.keys(action.actions ?? {})].map(
        word => ({ kind: 'answered', action: word, message: 'BECAUSE', response: {} }) as const,
      );
      const replies = [200, 404, 500].map(status => ({ kind: 'replied', status, body: '' }) as const);
      return [...replies, ...(action.approval ? answers : []), ...broken];
    }
    case 'spawn':
      return [true, false].map(
        (succeeded): ActionOutcome => ({ kind: 'child-finished', succeeded, output: 'PRINTED' }),
      );
    default:
      return [
        { kind: 'judged', ok: true, reason: '' },
        { kind: 'judged', ok: false, reason: 'BECAUSE' },
        { kind: 'judged', ok: false, reason: '' },
        { kind: 'no-answer', reason: 'it said nothing' },
        ...broken,
      ];
  }
}

const said = { stdout: 'PRINTED\n', stderr: 'COMPLAINED\n' };

const answers: readonly unknown[] = [
  { ok: true },
  { decision: 'block', reason: 'BECAUSE' },
  { decision: 'block' },
  { decision: 'approve' },
  { continue: false, stopReason: 'BECAUSE' },
  ...['deny', 'ask', 'allow'].map(permissionDecision => ({
    hookSpecificOutput: { permissionDecision, permissionDecisionReason: 'BECAUSE' },
  })),
  { hookSpecificOutput: { additionalContext: 'BESIDES' } },
];

const outputs: readonly { stdout: string; stderr: string }[] = [
  { stdout: '', stderr: '' },
  said,
  { stdout: 'PRINTED\n', stderr: '' },
  { stdout: '', stderr: 'COMPLAINED\n' },
  { stdout: '{ "decision": "block"', stderr: '' },
];

const exits: readonly ActionOutcome[] = [
  ...[0, 1, 2, 3, 127].flatMap(exitCode => outputs.map(output => ({ kind: 'exited', exitCode, ...output }) as const)),
  // A script that says something beside its answer and then breaks is rare, and what it said is told nowhere.
  ...[0, 1, 2].flatMap(exitCode =>
    answers
      .filter((_, at) => exitCode === 0 || at < answers.length - 1)
      .map(answer => ({ kind: 'exited', exitCode, stdout: JSON.stringify(answer), stderr: '' }) as const),
  ),
];
