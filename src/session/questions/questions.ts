import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AnswerWords } from '../../model/index.ts';
import { jsonOf } from '../../model/json.ts';
import { readRegularFile, syncFolder, writeJson } from '../../platform/files.ts';
import { stateFolder } from '../../platform/folders.ts';

/** One question to a person, as it stands on disk. Texts are masked. */
export interface Question {
  id: string;
  session: string;
  sessionFolder: string;
  stage?: string;
  iteration?: number;
  hook?: string;
  event?: string;
  title?: string;
  question: string;
  /** Words that the hook takes beside the known ones. */
  actions?: AnswerWords;
  since: string;
  /** By the clock on the wall; whoever waits sets it right when that clock jumps. */
  expires: string | null;
  port: number;
  baseUrl?: string;
  /** Of the session and the key it was asked with. */
  origin?: string;
  nonce: string;
  /** The first is that of the URL sent last; older ones stay valid. */
  tokenHashes: readonly string[];
  /** Hash of the URL that has reached its receiver. */
  sentUrl?: string;
}

/** `files` as they were when the question was asked: what is approved is what is shown. */
export type ContextFile =
  | { kind: 'text'; name: string; text: string; leftOutBytes: number }
  | { kind: 'not-shown'; name: string; why: string };

/** All approvals of the user, one folder each; undefined where the user has no home. */
export function approvalsFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const state = stateFolder(env['HOME'] ? env : { ...env, HOME: homedir() });
  return state && join(state, 'approvals');
}

export const questionFolder = (folder: string, id: string): string => join(folder, id);

/** `taken`: a question, or the beginning of one, stands there. Contract: throws the system's error. */
export function createQuestion(
  folder: string,
  question: Question,
  context: readonly ContextFile[],
  mayExist: boolean,
): 'created' | 'taken' {
  const own = questionFolder(folder, question.id);
  try {
    mkdirSync(own, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!mayExist) return 'taken';
  }
  if (context.length > 0) writeJson(join(own, 'context.json'), context, { sync: 'bytes' });
  writeQuestion(folder, question);
  syncFolder(folder);
  return 'created';
}

/** Contract: only whoever opened the question calls it; throws the system's error. */
export function writeQuestion(folder: string, question: Question): void {
  const own = questionFolder(folder, question.id);
  writeJson(join(own, 'question.json'), question, { sync: 'bytes' });
  syncFolder(own);
}

/** Undefined for one that does not exist or was never finished. */
export function readQuestion(folder: string, id: string): Question | undefined {
  if (!isId(id)) return undefined;
  const value = readJson(join(questionFolder(folder, id), 'question.json'), maxQuestionBytes);
  return isQuestion(value) && value.id === id ? value : undefined;
}

export function readContext(folder: string, id: string): readonly ContextFile[] {
  const value = readJson(join(questionFolder(folder, id), 'context.json'), maxContextBytes);
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

export function readJson(path: string, maxBytes: number): unknown {
  const read = readRegularFile(path, maxBytes);
  return read.kind === 'bytes' ? jsonOf(read.bytes.toString('utf8')) : undefined;
}

export const isId = (text: string): boolean => /^[0-9a-hjkmnp-tv-z]{8}$/.test(text);

export const randomId = (): string => toId(randomBytes(idLength));

/** The same for the same origin; a further `attempt` where someone else's question has that id. */
export const idFrom = (origin: string, attempt: number): string =>
  toId(createHash('sha256').update(`${origin}\0${attempt}`).digest());

/** As a person may type it: in capitals, with a letter for the digit that looks like it. */
export const foldId = (typed: string): string =>
  typed.trim().toLowerCase().replaceAll('-', '').replaceAll('o', '0').replaceAll(/[il]/g, '1');

/** No date is later. */
const latestMs = 8.64e15;

export const isoTime = (ms: number): string => new Date(Math.min(ms, latestMs)).toISOString();

const maxQuestionBytes = 1024 * 1024;
const maxContextBytes = 16 * 1024 * 1024;

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

/** Letters and digits that people do not mistake for each other. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idLength = 8;

const toId = (bytes: Buffer): string => Array.from(bytes.subarray(0, idLength), byte => alphabet[byte & 31]).join('');
