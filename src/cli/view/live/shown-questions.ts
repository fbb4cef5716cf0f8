import type { Notice, PersonSays } from '../../../model/notice.ts';
import { folded, shortened, textWidth } from '../../print/text.ts';
import { approvalWords, type Told } from '../../print/told.ts';
import type { AnswerApproval } from '../plain-watchers.ts';
import { type Span, span } from './line.ts';

export interface QuestionOptions {
  answer: AnswerApproval | undefined;
  /** Whether keys are read at all. */
  hasKeys: boolean;
  /** A question was answered, or could not be. */
  tell(told: Told): void;
  changed(): void;
}

/** Something a person is asked. */
interface Question {
  kind: 'approval' | 'permission';
  id: string;
  text: string;
  /** When it was first on the screen: what was typed before that is no answer to it. */
  shownMs?: number;
  settle(asked: PersonSays): void;
}

/** What waits for a person, and the keys that answer it. */
export function createQuestions({ answer, hasKeys, tell, changed }: QuestionOptions) {
  let pending: Question[] = [];
  let closed = false;
  const ours = new Set<string>();
  const drop = (question: Question): void => {
    pending = pending.filter(other => other !== question);
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
      pending.unshift(question);
    }
    changed();
  };
  return {
    follow(notice: Notice): void {
      // The session has moved on: whatever was asked before has been settled.
      if (movesOn.includes(notice.type)) pending = pending.filter(({ kind }) => kind !== 'approval');
      if (notice.type !== 'approval.requested' || notice.approval === undefined) return;
      const id = notice.approval;
      if (pending.some(other => other.id === id)) return;
      const question: Question = {
        kind: 'approval',
        id,
        text: approvalWords(notice),
        settle: asked => void decide(question, asked === 'yes' ? 'approve' : 'reject'),
      };
      pending.push(question);
    },
    /** It tells of an answer that a key of ours has given. */
    isOurs: (notice: Notice): boolean => notice.type === 'approval.answered' && ours.has(notice.approval),
    /** The approval is no longer pending. */
    settled(approval: string): void {
      pending = pending.filter(({ id }) => id !== approval);
      changed();
    },
    ask(text: string, signal: AbortSignal | undefined): Promise<PersonSays> {
      if (!hasKeys || closed || signal?.aborted) return Promise.resolve('no-one');
      return new Promise(resolve => {
        const settle = (asked: PersonSays): void => {
          signal?.removeEventListener('abort', giveUp);
          drop(question);
          resolve(asked);
        };
        const giveUp = (): void => settle('no-one');
        const question: Question = { kind: 'permission', id: '', text: shortened(text, 400), settle };
        signal?.addEventListener('abort', giveUp);
        pending.push(question);
        changed();
      });
    },
    press(key: string, nowMs: number): void {
      const meant = keyMeanings[key.toLowerCase()];
      if (!meant) return;
      const question = oldest(pending, meant.kind);
      if (question?.shownMs !== undefined && nowMs - question.shownMs >= readingMs) question.settle(meant.answer);
    },
    lines(columns: number, nowMs: number): Span[][] {
      return (['approval', 'permission'] as const).flatMap(kind => {
        const question = oldest(pending, kind);
        if (!question) return [];
        question.shownMs ??= nowMs;
        const others = pending.filter(other => other.kind === kind).length - 1;
        return questionLines(question, others, { columns, withKeys: hasKeys && (kind === 'permission' || !!answer) });
      });
    },
    /** No one will answer any more. */
    close(): void {
      closed = true;
      for (const { kind, settle } of pending) if (kind === 'permission') settle('no-one');
    },
  };
}

const said = { approve: 'approved', reject: 'rejected' } as const;
const movesOn: readonly string[] = ['stage.starting', 'iteration.starting', 'session.ended', 'session.summary'];

/** Faster than anyone reads. */
const readingMs = 300;

const keyMeanings: Readonly<Record<string, { kind: Question['kind']; answer: 'yes' | 'no' }>> = {
  a: { kind: 'approval', answer: 'yes' },
  r: { kind: 'approval', answer: 'no' },
  y: { kind: 'permission', answer: 'yes' },
  n: { kind: 'permission', answer: 'no' },
};

const oldest = (pending: readonly Question[], kind: Question['kind']): Question | undefined =>
  pending.find(question => question.kind === kind);

/** A question, how to answer it, and how many more there are. */
function questionLines(
  { kind, id, text }: Question,
  others: number,
  { columns, withKeys }: { columns: number; withKeys: boolean },
): Span[][] {
  const asked = folded(text, Math.max(10, columns - 5)).slice(0, maxQuestionLines);
  const command = span(`hookloop approve ${shortened(id)}`, 'dim');
  const keys = withKeys ? keyHints[kind] : [];
  const room = columns - 5 - [...keys, command].reduce((sum, { text: shown }) => sum + textWidth(shown), 0);
  const hints =
    kind === 'permission'
      ? [keys]
      : room >= 3
        ? [[...keys, ...(withKeys ? [span('   ')] : []), command]]
        : [keys, [command]];
  return [
    [],
    ...asked.map((line, at) => [span(at === 0 ? '  ? ' : '    ', 'yellow'), span(line, 'yellow')]),
    ...hints.filter(hint => hint.length > 0).map(hint => [span('    '), ...hint]),
    ...(others > 0 ? [[span(`    ${others} more ${others === 1 ? 'waits' : 'wait'}`, 'dim')]] : []),
  ];
}

const keyHints: Readonly<Record<Question['kind'], readonly Span[]>> = {
  approval: [span('a', 'bold'), span(' approve   ', 'dim'), span('r', 'bold'), span(' reject', 'dim')],
  permission: [span('y', 'bold'), span(' allow   ', 'dim'), span('n', 'bold'), span(' refuse', 'dim')],
};

const maxQuestionLines = 4;
