import type { Notice } from '../../../model/notice.ts';
import { approvalWords } from '../../print/event-words.ts';
import { shortened } from '../../print/foreign.ts';
import type { Told } from '../../print/told.ts';
import type { AnswerApproval, Asked } from '../session-watcher.ts';
import { questionLines } from './question-lines.ts';
import type { Span } from './span.ts';

export interface Questions {
  follow(notice: Notice): void;
  /** It tells of an answer that a key of ours has given. */
  isOurs(notice: Notice): boolean;
  /** The approval no longer waits. */
  settled(approval: string): void;
  ask(question: string, signal: AbortSignal | undefined): Promise<Asked>;
  press(key: string, nowMs: number): void;
  lines(columns: number, nowMs: number): Span[][];
  /** Nobody will answer any more. */
  close(): void;
}

export interface QuestionOptions {
  answer: AnswerApproval | undefined;
  /** Whether keys are read at all. */
  hasKeys: boolean;
  /** A question was answered, or could not be. */
  tell(told: Told): void;
  changed(): void;
}

/** Something a person is asked. */
export interface Question {
  kind: 'approval' | 'permission';
  id: string;
  text: string;
  /** When it was first on the screen: what was typed before that is no answer to it. */
  shownMs?: number;
  settle(key: 'yes' | 'no'): void;
}

export function createQuestions({ answer, hasKeys, tell, changed }: QuestionOptions): Questions {
  let waiting: Question[] = [];
  let closed = false;
  const ours = new Set<string>();
  const leave = new Set<() => void>();
  const drop = (question: Question): void => {
    waiting = waiting.filter(other => other !== question);
    changed();
  };
  const decide = async (question: Question, word: 'approve' | 'reject'): Promise<void> => {
    drop(question);
    ours.add(question.id);
    try {
      await answer?.(question.id, word);
      tell({
        mark: word === 'approve' ? 'done' : 'refused',
        text: `${said[word]} by you: ${question.text}`,
        lasting: true,
      });
    } catch (error) {
      ours.delete(question.id);
      const reason = shortened((error as Error).message);
      tell({ mark: 'failed', text: `the answer to "${question.text}" was not taken: ${reason}`, lasting: true });
      waiting.unshift(question);
    }
    changed();
  };
  return {
    follow(notice) {
      // The session has moved on: whatever was asked before has been settled.
      if (movesOn.has(notice.type)) waiting = waiting.filter(({ kind }) => kind !== 'approval');
      if (notice.type !== 'approval.requested' || notice.approval === undefined) return;
      const id = notice.approval;
      if (waiting.some(other => other.id === id)) return;
      const question: Question = {
        kind: 'approval',
        id,
        text: approvalWords(notice),
        settle: key => void decide(question, key === 'yes' ? 'approve' : 'reject'),
      };
      waiting.push(question);
    },
    isOurs: notice => notice.type === 'approval.answered' && ours.has(notice.approval),
    settled(approval) {
      waiting = waiting.filter(({ id }) => id !== approval);
      changed();
    },
    ask(text, signal) {
      if (!hasKeys || closed || signal?.aborted) return Promise.resolve('nobody');
      return new Promise(resolve => {
        const settle = (asked: Asked): void => {
          leave.delete(nobody);
          signal?.removeEventListener('abort', nobody);
          drop(question);
          resolve(asked);
        };
        const nobody = (): void => settle('nobody');
        const question: Question = { kind: 'permission', id: '', text: shortened(text, 400), settle };
        leave.add(nobody);
        signal?.addEventListener('abort', nobody);
        waiting.push(question);
        changed();
      });
    },
    press(key, nowMs) {
      const meant = keyMeanings[key.toLowerCase()];
      if (!meant) return;
      const question = oldest(waiting, meant.kind);
      if (question?.shownMs !== undefined && nowMs - question.shownMs >= readingMs) question.settle(meant.answer);
    },
    lines(columns, nowMs) {
      return (['approval', 'permission'] as const).flatMap(kind => {
        const question = oldest(waiting, kind);
        if (!question) return [];
        question.shownMs ??= nowMs;
        const others = waiting.filter(other => other.kind === kind).length - 1;
        return questionLines(question, others, { columns, withKeys: hasKeys && (kind === 'permission' || !!answer) });
      });
    },
    close() {
      closed = true;
      for (const nobody of [...leave]) nobody();
    },
  };
}

const said = { approve: 'approved', reject: 'rejected' } as const;
const movesOn: ReadonlySet<string> = new Set([
  'stage.starting',
  'iteration.starting',
  'session.ended',
  'session.summary',
]);

/** Faster than anybody reads. */
const readingMs = 300;

const keyMeanings: Readonly<Record<string, { kind: Question['kind']; answer: 'yes' | 'no' }>> = {
  a: { kind: 'approval', answer: 'yes' },
  r: { kind: 'approval', answer: 'no' },
  y: { kind: 'permission', answer: 'yes' },
  n: { kind: 'permission', answer: 'no' },
};

const oldest = (waiting: readonly Question[], kind: Question['kind']): Question | undefined =>
  waiting.find(question => question.kind === kind);
