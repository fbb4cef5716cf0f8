import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { isExpired, readSettlement } from './answer.ts';
import { isId } from './id.ts';
import { questionFolder, readQuestion } from './question.ts';

const keptMs = 30 * 24 * 60 * 60 * 1000;

/** Removes what nobody asks about any more: settled long ago, never finished, or of a session that is gone. */
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
