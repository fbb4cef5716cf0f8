import type { ContextFile, Question } from '../../session/questions/questions.ts';
import type { Settlement } from '../../session/questions/settlement.ts';

/** What a page says. */
export type View =
  | {
      kind: 'waiting';
      question: Question;
      context: readonly ContextFile[];
      /** The action of the link that was followed. */
      preselected?: string;
      /** Where the form goes instead of the address that names an action: a person may press another button. */
      formTo?: string;
      /** Why an answer was not taken. */
      problem?: string;
      nowMs: number;
    }
  | {
      kind: 'settled';
      question: Question;
      context: readonly ContextFile[];
      settlement: Settlement;
      /** `recorded`: by this request. `same`: before, with the same answer. `other`: before, and this request is too late. */
      news?: 'recorded' | 'same' | 'other';
    }
  | { kind: 'unknown' }
  | { kind: 'refused'; message: string };
