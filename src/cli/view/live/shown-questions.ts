import { printable } from '../../../model/index.ts';
import type { Notice, PersonSays } from '../../../model/notice.ts';
import { counted } from '../../../model/words.ts';
import { folded, shortened, textWidth } from '../../print/text.ts';
import { answerWords, approvalWords, type Told } from '../../print/told.ts';
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
  /** Why not, as far as it is typed: it is rejected when that is whole. */
  reason?: string;
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
  const decide = async (question: Question, says: Exclude<PersonSays, 'no-one'>): Promise<void> => {
    drop(other => other === question);
    ours.add(question.id);
    const message = says === 'yes' ? '' : says.no;
    const action = says === 'yes' ? 'approve' : 'reject';
    try {
      await answer(question.id, action, message);
      tell(answerWords({ action, message, by: 'by you', question: shortened(question.text, maxToldQuestion) }));
    } catch (error) {
      ours.delete(question.id);
      const reason = shortened((error as Error).message);
      tell({ mark: 'failed', text: `the answer to "${question.text}" was not accepted: ${reason}`, lasting: true });
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
        settle: says => void (says !== 'no-one' && decide(question, says)),
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
    /** Whether what was typed is part of an answer. */
    press(typed: string, nowMs: number): boolean {
      const question = pending[0];
      if (question?.shownMs === undefined || nowMs - question.shownMs < readingMs) return false;
      const before = question.reason;
      if (before === undefined) {
        if (typed.toLowerCase() === 'y') question.settle('yes');
        else if (typed.toLowerCase() === 'n') question.reason = '';
        else return false;
      } else if (typed === '\x1b') delete question.reason;
      else question.reason = typedInto(before, typed);
      const { reason } = question;
      if (reason?.endsWith('\r')) {
        delete question.reason;
        question.settle({ no: reason.trim() });
      }
      changed();
      return true;
    },
    lines(columns: number, nowMs: number): Span[][] {
      const question = pending[0];
      if (!question) return [];
      question.shownMs ??= nowMs;
      return questionLines(question, pending.length - 1, { columns, hasKeys });
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

/** What is typed is put behind the text; a line end is its end. Keys that are no text are none of it. */
function typedInto(text: string, typed: string): string {
  if (typed.startsWith('\x1b')) return text;
  const [line = ''] = typed.split(/[\r\n]/);
  let result = [...text];
  for (const key of line)
    if (key === '\x7f' || key === '\b') result = result.slice(0, -1);
    else if (result.length < maxReasonLength) result.push(printable(key));
  return `${result.join('')}${line.length < typed.length ? '\r' : ''}`;
}

const maxReasonLength = 500;

/** A question, how to answer it, and how many more there are. */
function questionLines(
  { kind, id, text, reason }: Question,
  others: number,
  { columns, hasKeys }: { columns: number; hasKeys: boolean },
): Span[][] {
  const room = columns - 5;
  const asked = folded(text, room).slice(0, maxQuestionLines);
  if (reason !== undefined)
    return [
      [],
      ...questionText(asked),
      [span('    Why not? ', 'bold'), span(lastColumns(reason, room - 14)), span('_')],
      [span('    Enter', 'bold'), span(' sends it   ', 'dim'), span('Esc', 'bold'), span(' goes back', 'dim')],
    ];
  const own = hasKeys ? keys[kind] : [];
  const ways = [
    ...own.map(([name, word]) => [span(name, 'bold'), span(` ${word}`, 'dim')]),
    ...(kind === 'approval' ? [[span(`hookloop approve ${shortened(id)}`, 'dim')]] : []),
  ];
  const all = apart(ways);
  const isWide = all.reduce((sum, part) => sum + textWidth(part.text), 0) > room;
  const hints = isWide ? [apart(ways.slice(0, own.length)), ...ways.slice(own.length)] : [all];
  return [
    [],
    ...questionText(asked),
    ...hints.filter(hint => hint.length > 0).map(hint => [span('    '), ...hint]),
    ...(others > 0 ? [[span(`    ${counted(others, 'more question')}`, 'dim')]] : []),
  ];
}

const questionText = (lines: readonly string[]): Span[][] =>
  lines.map((line, at) => [span(at === 0 ? '  ? ' : '    ', 'yellow'), span(line, 'yellow')]);

const keys = {
  approval: [
    ['y', 'approve'],
    ['n', 'reject'],
  ],
  permission: [
    ['y', 'allow'],
    ['n', 'refuse'],
  ],
} as const satisfies Record<Question['kind'], unknown>;

const lastColumns = (text: string, columns: number): string => [...text].slice(-Math.max(1, columns)).join('');

const apart = (ways: readonly (readonly Span[])[]): Span[] =>
  ways.flatMap((way, at) => (at === 0 ? way : [span('   '), ...way]));

const maxQuestionLines = 4;
/** Of one that was answered. */
const maxToldQuestion = 60;
