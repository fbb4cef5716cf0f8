import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ApprovalAnswer } from '../../model/index.ts';
import { jsonOf } from '../../model/json.ts';
import type { ContextFile, Question, Settlement } from '../../model/question.ts';
import { makePrivateFolder, readRegularFile, syncFolder, writeJson, writeOnce } from '../../platform/files.ts';
import { stateFolder } from '../../platform/folders.ts';
import { watchPath } from '../../platform/watch.ts';
import { isExpired, isId, toId } from '../questions.ts';
import type { AskedQuestion, Questions, Settled } from '../store.ts';

/** All approvals of the user, one folder each; undefined where the user has no home. */
export function approvalsFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const state = stateFolder(env['HOME'] ? env : { ...env, HOME: homedir() });
  return state && join(state, 'approvals');
}

/** The questions of all the user's sessions. */
export const questionsOf = (env: Readonly<Record<string, string | undefined>>): Questions =>
  createFileQuestions(approvalsFolder(env));

/** The questions in a folder of the user. Without one there are none, and none can be kept. */
export function createFileQuestions(folder: string | undefined): Questions {
  const place = (): string => {
    if (folder === undefined) throw new Error('HOME is not set, so there is no place to keep the question');
    return folder;
  };
  return {
    place: folder ?? '',
    async ask(origin, make) {
      return ask(place(), origin, make);
    },
    async find(id) {
      return folder === undefined ? undefined : readQuestion(folder, id);
    },
    async all() {
      return folder === undefined ? [] : allQuestions(folder);
    },
    async context(id) {
      return readContext(place(), id);
    },
    async change(id, how) {
      const question = readQuestion(place(), id);
      const changed = question && how(question);
      if (changed && changed !== question) writeQuestion(place(), changed);
      return changed;
    },
    async settlement(id) {
      return folder === undefined ? undefined : readSettlement(folder, id);
    },
    async settle(id, settlement) {
      return recordSettlement(place(), id, settlement);
    },
    watch: (id, onChange) => watchPath(join(place(), id), onChange),
    async prune(nowMs) {
      pruneApprovals(place(), nowMs);
    },
    async secret() {
      return userSecret(place());
    },
    async knownSecret() {
      return folder === undefined ? undefined : readSecret(folder);
    },
  };
}

/** No step of it waits, so that in one process no one comes in between. */
function ask(
  folder: string,
  origin: string | undefined,
  make: (id: string) => { question: Question; context: readonly ContextFile[] },
): AskedQuestion {
  makePrivateFolder(folder, true);
  for (let attempt = 0; ; attempt += 1) {
    const id = origin === undefined ? toId(randomBytes(32)) : idFrom(origin, attempt);
    const known = readQuestion(folder, id);
    const isSame = known !== undefined && origin !== undefined && known.origin === origin;
    // One that was withdrawn never had an answer: whoever asks again asks anew.
    if (isSame && readSettlement(folder, id)?.kind !== 'withdrawn') return { question: known, isAskedAgain: true };
    if (known) continue;
    const { question, context } = make(id);
    // Only a crash of ours leaves a question of this very origin without its file.
    if (createQuestion(folder, question, context, origin !== undefined)) return { question, isAskedAgain: false };
  }
}

/** The same for the same origin; a further `attempt` where someone else's question has that id. */
const idFrom = (origin: string, attempt: number): string =>
  toId(createHash('sha256').update(`${origin}\0${attempt}`).digest());

/** False where a question, or the beginning of one, stands there. */
function createQuestion(
  folder: string,
  question: Question,
  context: readonly ContextFile[],
  mayExist: boolean,
): boolean {
  const own = join(folder, question.id);
  try {
    mkdirSync(own, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!mayExist) return false;
  }
  if (context.length > 0) writeJson(join(own, 'context.json'), context, { sync: 'bytes' });
  writeQuestion(folder, question);
  syncFolder(folder);
  return true;
}

function writeQuestion(folder: string, question: Question): void {
  const own = join(folder, question.id);
  writeJson(join(own, 'question.json'), question, { sync: 'bytes' });
  syncFolder(own);
}

/** Undefined for one that does not exist or was never finished. */
export function readQuestion(folder: string, id: string): Question | undefined {
  if (!isId(id)) return undefined;
  const value = readJson(join(folder, id, 'question.json'), maxBytes);
  return isQuestion(value) && value.id === id ? value : undefined;
}

export function readContext(folder: string, id: string): readonly ContextFile[] {
  const value = readJson(join(folder, id, 'context.json'), maxContextBytes);
  return Array.isArray(value) ? (value as ContextFile[]) : [];
}

/** In the order they were asked. */
export function allQuestions(folder: string): Question[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .flatMap(name => readQuestion(folder, name) ?? [])
    .sort((a, b) => a.since.localeCompare(b.since) || a.id.localeCompare(b.id));
}

const maxBytes = 1024 * 1024;
const maxContextBytes = 16 * 1024 * 1024;

function readJson(path: string, limit: number): unknown {
  const read = readRegularFile(path, limit);
  return read.kind === 'bytes' ? jsonOf(read.bytes.toString()) : undefined;
}

function isQuestion(value: unknown): value is Question {
  if (typeof value !== 'object' || value === null) return false;
  const { id, session, question, since, expires, port, tokenHashes } = value as Record<string, unknown>;
  return (
    [id, session, question, since].every(text => typeof text === 'string') &&
    (expires === null || typeof expires === 'string') &&
    typeof port === 'number' &&
    Array.isArray(tokenHashes)
  );
}

const answerPath = (folder: string, id: string): string => join(folder, id, 'answer.json');

/** Contract: throws where it is not sure that anything is on disk. */
export function recordSettlement(folder: string, id: string, settlement: Settlement): Settled {
  const path = answerPath(folder, id);
  if (writeOnce(path, `${JSON.stringify(settlement, null, 2)}\n`, { sync: 'name' }))
    return { kind: 'recorded', settlement };
  const first = readSettlement(folder, id);
  if (!first) throw new Error(`${path} is damaged`);
  return { kind: 'settled', settlement: first };
}

export function readSettlement(folder: string, id: string): Settlement | undefined {
  const path = answerPath(folder, id);
  // Asked twice a second for every open question: an error that no one reads costs more than the file system does.
  if (!existsSync(path)) return undefined;
  const value = readJson(path, maxBytes) as Partial<ApprovalAnswer> | undefined;
  if (typeof value?.at !== 'string') return undefined;
  const isWhole = value.kind !== 'answered' || [value.action, value.message].every(text => typeof text === 'string');
  return isWhole ? (value as Settlement) : undefined;
}

const keptMs = 30 * 24 * 60 * 60 * 1000;

function pruneApprovals(folder: string, nowMs: number): void {
  try {
    for (const id of readdirSync(folder).filter(isId))
      if (isOver(folder, id, nowMs)) rmSync(join(folder, id), { recursive: true, force: true });
  } catch {
    // Another process tidies up at the same time, or may not: the next one does.
  }
}

function isOver(folder: string, id: string, nowMs: number): boolean {
  const ageMs = nowMs - statSync(join(folder, id)).mtimeMs;
  if (ageMs < keptMs) return false;
  const question = readQuestion(folder, id);
  if (!question || readSettlement(folder, id)) return true;
  return isExpired(question, nowMs - keptMs) || !existsSync(question.sessionFolder);
}

const secretFile = (folder: string): string => join(folder, '.secret');
const secretBytes = 32;

export function userSecret(folder: string): Buffer {
  const known = readSecret(folder);
  if (known) return known;
  makePrivateFolder(folder, true);
  writeOnce(secretFile(folder), randomBytes(secretBytes).toString('hex'), { sync: 'name' });
  const made = readSecret(folder);
  if (!made) throw new Error(`${secretFile(folder)} cannot be read`);
  return made;
}

function readSecret(folder: string): Buffer | undefined {
  const path = secretFile(folder);
  const read = readRegularFile(path, 1024);
  if (read.kind === 'absent') return undefined;
  if (read.kind === 'unreadable') throw new Error(`${path} ${read.reason}`);
  const secret = Buffer.from(read.bytes.toString('latin1').trim(), 'hex');
  if (secret.length !== secretBytes) throw new Error(`${path} is damaged; remove it, and open questions get new URLs`);
  return secret;
}
