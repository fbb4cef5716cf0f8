import { createHash, randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { ApprovalRequest } from '../actions/webhook/approval.ts';
import type { HookDefinition } from '../model/index.ts';
import type { Question } from '../model/question.ts';
import { readRegularFile, writeOnce } from '../platform/files.ts';
import { type Clock, hashToken, isoTime, tokenOf } from '../session/questions.ts';
import type { Questions } from '../session/store.ts';
import { takeContext } from './context-files.ts';

/** What a person is asked; by a hook, or by an agent or a command that shows files. */
export interface AskRequest extends Omit<ApprovalRequest, 'hook'> {
  hook?: HookDefinition;
  /** Shown as they are now; relative to the project. */
  files?: readonly string[];
}

/** Who asks. */
export interface Asker {
  questions: Questions;
  secret: Buffer;
  session: string;
  sessionFolder: string;
  root: string;
  mask(text: string): string;
  clock: Clock;
}

/** The question as it is kept: the one asked before a crash, or a new one. Contract: rejects with the system's error. */
export async function ask(request: AskRequest, asker: Asker): Promise<Question> {
  const origin = request.key === undefined ? undefined : originOf(request.key, request, asker.sessionFolder);
  const { question } = await asker.questions.ask(origin, id => ({
    question: toQuestion(id, origin, request, asker),
    context: takeContext(request.files ?? [], asker, asker.mask),
  }));
  return question;
}

/**
 * A session of the same name in the same folder, made after this one was removed, must not find its answers: the
 * session's own mark goes with its folder. Nor is an answer one to other words than those it was given to.
 */
function originOf(key: string, request: AskRequest, sessionFolder: string): string {
  const path = join(sessionFolder, '.approvals');
  writeMark(path);
  const read = readRegularFile(path, 1024);
  if (read.kind !== 'bytes') throw new Error(`${path} cannot be read`);
  return createHash('sha256')
    .update([read.bytes.toString('latin1'), realpathSync(sessionFolder), key, wordsOf(request)].join('\0'))
    .digest('hex');
}

/** What is asked. The time of the event moves on when it is asked again. */
function wordsOf({ title, question, actions, event }: AskRequest): string {
  const words = JSON.stringify([title, question, actions]);
  return event.at ? words.replaceAll(event.at, '') : words;
}

function writeMark(path: string): void {
  if (readRegularFile(path, 1024).kind === 'absent') writeOnce(path, randomBytes(16).toString('hex'), { sync: 'name' });
}

function toQuestion(id: string, origin: string | undefined, request: AskRequest, asker: Asker): Question {
  const { event, deadlineMs } = request;
  const nonce = randomBytes(16).toString('hex');
  const nowMs = asker.clock.now();
  return {
    id,
    session: asker.session,
    sessionFolder: asker.sessionFolder,
    ...(event.stage && { stage: event.stage }),
    ...(event.iteration !== undefined && { iteration: event.iteration }),
    ...(request.hook && { hook: asker.mask(request.hook.id) }),
    event: event.name,
    ...(request.title && { title: cut(asker.mask(request.title), maxTitle) }),
    question: cut(asker.mask(request.question).trim(), maxText) || 'Approve?',
    ...(request.actions && { actions: request.actions }),
    since: new Date(nowMs).toISOString(),
    expires: deadlineMs === null ? null : isoTime(nowMs + deadlineMs),
    port: request.port,
    ...(request.baseUrl !== undefined && { baseUrl: request.baseUrl }),
    ...(origin !== undefined && { origin }),
    nonce,
    tokenHashes: [hashToken(tokenOf(asker.secret, id, nonce))],
  };
}

const maxTitle = 300;
const maxText = 20_000;

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);

/** What the URL says is kept before anyone is told it. Contract: rejects with the system's error. */
export async function publish(
  questions: Questions,
  { id }: Question,
  { port, baseUrl }: { port: number; baseUrl: string | undefined },
): Promise<{ question: Question; url: string }> {
  const secret = await questions.secret();
  let url = '';
  const question = await questions.change(id, asked => {
    const token = tokenOf(secret, id, asked.nonce);
    const hash = hashToken(token);
    // Another secret than the one it was asked with makes another token; the old one stays valid.
    const tokenHashes = asked.tokenHashes.includes(hash) ? asked.tokenHashes : [hash, ...asked.tokenHashes];
    const { baseUrl: _, ...rest } = asked;
    const told = { ...rest, port, tokenHashes, ...(baseUrl !== undefined && { baseUrl }) };
    url = callbackUrl(told, token);
    const isSame = url === callbackUrl(asked, token) && tokenHashes === asked.tokenHashes && port === asked.port;
    return isSame ? asked : told;
  });
  if (!question) throw new Error('the question is gone');
  return { question, url };
}

const callbackUrl = ({ baseUrl, port, id }: Question, token: string): string =>
  `${baseUrl ?? `http://127.0.0.1:${port}`}/callback/${id}/${token}`;
