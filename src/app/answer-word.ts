import type { HookId } from '../model/index.ts';
import type { Fired } from './dispatch-event.ts';

export const answerWordsKnown = ['proceed', 'block', 'revise', 'abort', 'ask', 'judge'] as const;

/** What an event came to in one word. */
export type AnswerWord = (typeof answerWordsKnown)[number];

/** Where the hook that decides would ask someone, that is the answer. */
export function answerWord({ result: { decision }, unasked }: Pick<Fired, 'result' | 'unasked'>): AnswerWord {
  if (decision.kind === 'proceed') return 'proceed';
  const would = unasked.get(decision.by);
  if (would) return would.of === 'person' ? 'ask' : 'judge';
  return decision.kind === 'block' && decision.ask ? 'ask' : decision.kind;
}

/** The hook that decided. */
export const decidedBy = ({ result: { decision } }: Pick<Fired, 'result'>): HookId | undefined =>
  decision.kind === 'proceed' ? undefined : decision.by;
