import { canRefuse } from '../dialects/gates.ts';
import {
  type Action,
  type ActionOutcome,
  type ActionRun,
  type ActionRunners,
  type DialectWire,
  fillNames,
  type HookId,
  isJudge,
  isPending,
  type RunAction,
} from '../model/index.ts';

/** A question that was not put to the person or the judge it is for. */
export interface Unasked {
  of: 'person' | 'judge';
  question: string;
}

/** Stands in for people and judges: whoever would ask them says so instead, and where a no would refuse, that refuses. */
export interface AskNoOne {
  actions(real: ActionRunners): ActionRunners;
  wires(real: readonly DialectWire[]): readonly DialectWire[];
  /** What was not asked, by the hook that would have. */
  unasked: ReadonlyMap<HookId, Unasked>;
}

export function createAskNoOne(): AskNoOne {
  const unasked = new Map<HookId, Unasked>();
  const outcomes = new WeakMap<ActionOutcome, Unasked>();
  const note = (would: Unasked, { hook }: ActionRun): ActionOutcome => {
    if (canRefuse(hook)) unasked.set(hook.id, would);
    const outcome: ActionOutcome = { kind: 'not-started', reason: unaskedWords(would) };
    outcomes.set(outcome, would);
    return outcome;
  };
  return {
    unasked,
    actions: real =>
      Object.fromEntries(
        Object.entries(real).map(([kind, run]) => {
          const instead: RunAction = async (action, at) => {
            const would = questionIn(action, at);
            return would ? note(would, at) : (run as RunAction)(action, at);
          };
          return [kind, instead];
        }),
      ) as ActionRunners,
    wires: real =>
      real.map(wire => ({
        ...wire,
        interpret(outcome, hook, event) {
          const would = outcomes.get(outcome);
          if (!would) return wire.interpret(outcome, hook, event);
          if (!canRefuse(hook)) return { verdict: { kind: 'passed' } };
          return { verdict: { kind: isPending(event.name) ? 'asked' : 'rejected', reason: unaskedWords(would) } };
        },
      })),
  };
}

const unaskedWords = ({ of, question }: Unasked): string =>
  `${of === 'person' ? 'a person' : 'a judge'} would be asked: ${question}`;

/** Whom an action asks; undefined: no one. */
export function askedBy(action: Action): Unasked['of'] | undefined {
  if (isJudge(action)) return 'judge';
  return action.kind === 'ask' || (action.kind === 'webhook' && action.approval) ? 'person' : undefined;
}

function questionIn(action: Action, { hook, presentation: { env } }: ActionRun): Unasked | undefined {
  const of = askedBy(action);
  if (of === undefined) return undefined;
  const texts = 'prompt' in action ? [action.prompt] : 'question' in action ? [action.title, action.question] : [];
  const question = texts.filter(text => text?.trim()).join(': ');
  return { of, question: fillNames(question, env) || hook.name };
}
