import type { Notice, PersonSays } from '../../../model/notice.ts';
import { folded, shortened, textWidth } from '../../print/text.ts';
import { approvalWords, type Told } from '../../print/told.ts';
import type { AnswerApproval } from '../plain-watchers.ts';
import { type Span, span } from './line.ts';

interface QuestionOptions {
  answer: AnswerApproval;
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
  settle(says: PersonSays): void;
}

/** What waits for a person, and the keys that answer it. */
export function createQuestions({ answer, hasKeys, tell, changed }: QuestionOptions) {
  let pending: Question[] = [];
  let closed = false;
  const ours = new Set<string>();
  const add = (question: Question): void => {
    pending.push(question);
    changed();
  };
  const drop = (isGone: (question: Question) => boolean): void => {
    pending = pending.filter(question => !isGone(question));
    changed();
  };
  const oldest = (kind: Question['kind']): Question | undefined => pending.find(question => question.kind === kind);
  const decide = async (question: Question, word: 'approve' | 'reject'): Promise<void> => {
    drop(other => other === question);
    ours.add(question.id);
    try {
      await answer(question.id, word);
      const [mark, said] = word === 'approve' ? (['done', 'approved'] as const) : (['refused', 'rejected'] as const);
      tell({ mark, text: `${said} by you: ${question.text}`, lasting: true });
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
      if (movesOn.includes(notice.type)) drop(({ kind }) => kind === 'approval');
      if (notice.type !== 'approval.requested' || notice.approval === undefined) return;
      const id = notice.approval;
      if (pending.some(other => other.id === id)) return;
      const question: Question = {
        ...{ kind: 'approval', id, text: approvalWords(notice) },
        settle: says => void decide(question, says === 'yes' ? 'approve' : 'reject'),
      };
      add(question);
    },
    /** It tells of an answer that a key of ours has given. */
    isOurs: (notice: Notice): boolean => notice.type === 'approval.answered' && ours.has(notice.approval),
    /** The approval is no longer pending. */
    settled: (approval: string): void => drop(({ id }) => id === approval),
    ask(text: string, signal: AbortSignal | undefined): Promise<PersonSays> {
      if (!hasKeys || closed || signal?.aborted) return Promise.resolve('no-one');
      return new Promise(resolve => {
        const giveUp = (): void => question.settle('no-one');
        const question: Question = {
          ...{ kind: 'permission', id: '', text: shortened(text, 400) },
          settle(says) {
            signal?.removeEventListener('abort', giveUp);
            drop(other => other === question);
            resolve(says);
          },
        };
        signal?.addEventListener('abort', giveUp);
        add(question);
      });
    },
    press(typed: string, nowMs: number): void {
      const key = keys.find(({ name }) => name === typed.toLowerCase());
      const question = key && oldest(key.kind);
      if (question?.shownMs !== undefined && nowMs - question.shownMs >= readingMs) question.settle(key!.says);
    },
    lines(columns: number, nowMs: number): Span[][] {
      return (['approval', 'permission'] as const).flatMap(kind => {
        const question = oldest(kind);
        if (!question) return [];
        question.shownMs ??= nowMs;
        const others = pending.filter(other => other.kind === kind).length - 1;
        return questionLines(question, others, { columns, hasKeys });
      });
    },
    /** No one will answer any more. */
    close(): void {
      closed = true;
      for (const { kind, settle } of pending) if (kind === 'permission') settle('no-one');
    },
  };
}

const movesOn: readonly string[] = ['stage.starting', 'iteration.starting', 'session.ended', 'session.summary'];

/** Faster than anyone reads. */
const readingMs = 300;

interface Key {
  name: string;
  kind: Question['kind'];
  says: PersonSays;
  word: string;
}

const keys: readonly Key[] = [
  { name: 'a', kind: 'approval', says: 'yes', word: 'approve' },
  { name: 'r', kind: 'approval', says: 'no', word: 'reject' },
  { name: 'y', kind: 'permission', says: 'yes', word: 'allow' },
  { name: 'n', kind: 'permission', says: 'no', word: 'refuse' },
];

/** A question, how to answer it, and how many more there are. */
function questionLines(
  { kind, id, text }: Question,
  others: number,
  { columns, hasKeys }: { columns: number; hasKeys: boolean },
): Span[][] {
  const room = columns - 5;
  const asked = folded(text, room).slice(0, maxQuestionLines);
  const own = hasKeys ? keys.filter(key => key.kind === kind) : [];
  const ways = [
    ...own.map(({ name, word }) => [span(name, 'bold'), span(` ${word}`, 'dim')]),
    ...(kind === 'approval' ? [[span(`hookloop approve ${shortened(id)}`, 'dim')]] : []),
  ];
  const all = apart(ways);
  const isWide = all.reduce((sum, part) => sum + textWidth(part.text), 0) > room;
  const hints = isWide ? [apart(ways.slice(0, own.length)), ...ways.slice(own.length)] : [all];
  return [
    [],
    ...asked.map((line, at) => [span(at === 0 ? '  ? ' : '    ', 'yellow'), span(line, 'yellow')]),
    ...hints.filter(hint => hint.length > 0).map(hint => [span('    '), ...hint]),
    ...(others > 0 ? [[span(`    ${others} more ${others === 1 ? 'waits' : 'wait'}`, 'dim')]] : []),
  ];
}

const apart = (ways: readonly (readonly Span[])[]): Span[] =>
  ways.flatMap((way, at) => (at === 0 ? way : [span('   '), ...way]));

const maxQuestionLines = 4;
