import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AnswerMeaning, foldWord, meaningOf } from '../../model/index.ts';
import type { ApprovalAnswer } from '../../people/port.ts';
import { writeOnce } from '../../platform/files.ts';
import { type Question, questionFolder, readJson } from './question.ts';

/** How a question ended: at most once, whoever ends it. */
export type Settlement =
  | ApprovalAnswer
  | { kind: 'expired'; at: string }
  | { kind: 'withdrawn'; at: string; reason: string };

/** `recorded`: this call ended the question. `settled`: something else did before. Both are on disk. */
export type Recording = { kind: 'recorded' | 'settled'; settlement: Settlement };

/** Contract: throws the system's error where it is not sure that anything is on disk. */
export function recordSettlement(folder: string, id: string, settlement: Settlement): Recording {
  const path = answerPath(folder, id);
  if (writeOnce(path, `${JSON.stringify(settlement, null, 2)}\n`, { sync: 'name' }))
    return { kind: 'recorded', settlement };
  const first = readSettlement(folder, id);
  if (!first) throw new Error(`${path} is damaged`);
  return { kind: 'settled', settlement: first };
}

export function readSettlement(folder: string, id: string): Settlement | undefined {
  const path = answerPath(folder, id);
  // Asked twice a second for every open question: an error that nobody reads costs more than the file system does.
  if (!existsSync(path)) return undefined;
  const value = readJson(path, maxAnswerBytes) as Partial<ApprovalAnswer> | undefined;
  if (typeof value?.at !== 'string') return undefined;
  const isWhole = value.kind !== 'answered' || [value.action, value.message].every(text => typeof text === 'string');
  return isWhole ? (value as Settlement) : undefined;
}

export const isExpired = ({ expires }: Question, nowMs: number): boolean =>
  expires !== null && nowMs >= Date.parse(expires);

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

const maxAnswerBytes = 1024 * 1024;

const answerPath = (folder: string, id: string): string => join(questionFolder(folder, id), 'answer.json');
