import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AnswerMeaning,
  type AnswerWords,
  type ApprovalAnswer,
  acceptedWords,
  foldWord,
  meaningOf,
} from '../../model/index.ts';
import { writeOnce } from '../../platform/files.ts';
import { isId, type Question, questionFolder, readJson, readQuestion } from './questions.ts';

/** How a question ended: at most once, whoever ends it. */
export type Settlement =
  | ApprovalAnswer
  | { kind: 'expired'; at: string }
  | { kind: 'withdrawn'; at: string; reason: string };

/** `recorded`: this call ended the question. `settled`: something else did before. Both are on disk. */
export type Recording = { kind: 'recorded' | 'settled'; settlement: Settlement };

/** `recorded` by this call, or `settled` before it; `no-answer` leaves the question open. */
export type Answering = (Recording & { wasSettled: boolean }) | { kind: 'no-answer'; problem: string };

/** The one way to an answer, whoever gives it. Contract: throws the system's error where it is not sure that the answer is kept. */
export function answerQuestion(folder: string, question: Question, answer: ApprovalAnswer): Answering {
  const before = settlementOf(folder, question, Date.parse(answer.at));
  if (before) return { kind: 'settled', settlement: before, wasSettled: true };
  if (meaningOf(answer.action, question.actions) === undefined)
    return { kind: 'no-answer', problem: notAWord(answer.action, question.actions) };
  return { ...recordSettlement(folder, question.id, answer), wasSettled: false };
}

/** Contract: throws the system's error where it is not sure that anything is on disk. */
export function recordSettlement(folder: string, id: string, settlement: Settlement): Recording {
  const path = answerPath(folder, id);
  if (writeOnce(path, `${JSON.stringify(settlement, null, 2)}\n`, { sync: 'name' }))
    return { kind: 'recorded', settlement };
  const first = readSettlement(folder, id);
  if (!first) throw new Error(`${path} is damaged`);
  return { kind: 'settled', settlement: first };
}

/** Past its deadline a question takes no answer, whether or not anybody waits who could write that down. */
export function settlementOf(folder: string, question: Question, nowMs: number): Settlement | undefined {
  const settlement = readSettlement(folder, question.id);
  if (settlement || !isExpired(question, nowMs)) return settlement;
  return { kind: 'expired', at: question.expires! };
}

export function readSettlement(folder: string, id: string): Settlement | undefined {
  const path = answerPath(folder, id);
  // Asked twice a second for every open question: an error that no one reads costs more than the file system does.
  if (!existsSync(path)) return undefined;
  const value = readJson(path, maxAnswerBytes) as Partial<ApprovalAnswer> | undefined;
  if (typeof value?.at !== 'string') return undefined;
  const isWhole = value.kind !== 'answered' || [value.action, value.message].every(text => typeof text === 'string');
  return isWhole ? (value as Settlement) : undefined;
}

/** A retry of the same request, or the same click again. */
export const isSameAnswer = (first: Settlement, again: { action: string; message: string }): boolean =>
  first.kind === 'answered' &&
  foldWord(first.action) === foldWord(again.action) &&
  (again.message === '' || again.message === first.message);

/** What an answer to this question means. One with a word that was no answer (records of 0.1.0 have such) is no yes. */
export const answeredMeaning = (
  { action }: { action: string },
  { actions }: Pick<Question, 'actions'>,
): AnswerMeaning => meaningOf(action, actions) ?? 'reject';

/** Removes what no one asks about any more: settled long ago, never finished, or of a session that is gone. */
export function pruneApprovals(folder: string, nowMs: number): void {
  try {
    for (const id of readdirSync(folder).filter(isId))
      if (isOver(folder, id, nowMs)) rmSync(questionFolder(folder, id), { recursive: true, force: true });
  } catch {
    // Another process tidies up at the same time, or may not: the next one does.
  }
}

function isOver(folder: string, id: string, nowMs: number): boolean {
  const ageMs = nowMs - statSync(questionFolder(folder, id)).mtimeMs;
  if (ageMs < keptMs) return false;
  const question = readQuestion(folder, id);
  if (!question || readSettlement(folder, id)) return true;
  return isExpired(question, nowMs - keptMs) || !existsSync(question.sessionFolder);
}

function notAWord(said: string, own: AnswerWords | undefined): string {
  const { approve, reject } = acceptedWords(own);
  return `“${said}” is no answer, so nothing is decided. To go on: ${approve.join(', ')}. To refuse: ${reject.join(', ')}.`;
}

const isExpired = ({ expires }: Question, nowMs: number): boolean => expires !== null && nowMs >= Date.parse(expires);

const maxAnswerBytes = 1024 * 1024;

const answerPath = (folder: string, id: string): string => join(questionFolder(folder, id), 'answer.json');

const keptMs = 30 * 24 * 60 * 60 * 1000;
