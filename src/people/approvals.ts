import type { ApprovalPort, OpenApproval } from '../actions/webhook/approval.ts';
import type { Question } from '../model/question.ts';
import { reasonOf } from '../platform/files.ts';
import {
  answerQuestion,
  type Clock,
  expire,
  hashToken,
  isoTime,
  systemClock,
  waitForAnswer,
} from '../session/questions.ts';
import type { Questions } from '../session/store.ts';
import { type AskRequest, ask, publish } from './ask.ts';
import { joinServer, type SharedServer } from './callback-server.ts';
import { type ContextPath, contextPaths } from './context-files.ts';

/** The approvals of one session. The callback URL is a secret: whoever has it can answer. */
export interface Approvals extends ApprovalPort {
  open(request: AskRequest): Promise<OpenApproval | { kind: 'failed'; reason: string }>;
  /** Stops serving, after running requests have their replies. Questions stay as they are. */
  close(): Promise<void>;
}

export interface ApprovalsOptions {
  questions: Questions;
  session: string;
  sessionFolder: string;
  /** The project; files are relative to it. */
  root: string;
  mask?(text: string): string;
  /** How often the session has failed before: what was refused then is asked anew. */
  round?: number;
  /** A question waits for a person. */
  onQuestion?(question: Told): void;
  /** It no longer does. */
  onSettled?: ((id: string) => void) | undefined;
  clock?: Clock;
}

/** A question that can be answered from now on. */
export interface Told {
  id: string;
  question: string;
  title?: string;
  files?: readonly ContextPath[];
  /** Of the work that waits. */
  key?: string;
  /** ISO time; absent: it waits for ever. */
  expires?: string;
}

export function createApprovals(options: ApprovalsOptions): Approvals {
  const servers: SharedServer[] = [];
  return {
    open: request => open(request, options, servers).catch(error => ({ kind: 'failed', reason: reasonOf(error) })),
    async close() {
      await Promise.all(servers.splice(0).map(server => server.release()));
    },
  };
}

/** The order is the promise: the question is on disk, its URL listens, then anyone is told. */
async function open(request: AskRequest, options: ApprovalsOptions, servers: SharedServer[]): Promise<OpenApproval> {
  const { questions, session, sessionFolder, root, mask = same, clock = systemClock, round = 0 } = options;
  const { key } = request;
  const baseUrl = request.baseUrl === undefined ? undefined : checkedBaseUrl(request.baseUrl);
  const secret = await questions.secret();
  await questions.prune(clock.now());
  const asked = await ask(
    {
      ...request,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(key !== undefined && round > 0 && { key: `${key}~${round}` }),
    },
    { questions, secret, session, sessionFolder, root, mask, clock },
  );
  const { id } = asked;
  const remainingMs = leftOf(asked, request.deadlineMs, clock);
  if (remainingMs === 0) await expire(questions, id, clock);
  const isSettled = (await questions.settlement(id)) !== undefined;
  const server = await joinServer(questions, asked.port);
  if (server.kind === 'joined') servers.push(server);
  else if (!isSettled) {
    await withdraw(questions, id, server.reason, clock);
    throw new Error(server.reason);
  }
  const port = server.kind === 'joined' ? server.port : asked.port;
  const { question, url } = await publish(questions, asked, { port, baseUrl });
  if (!isSettled) options.onQuestion?.(toldOf(id, request, mask));
  return {
    kind: 'open',
    id,
    callbackUrl: url,
    isSettled,
    sent: question.sentUrl === hashToken(url),
    markSent: () => keepSent(questions, id, url),
    async wait(signal) {
      const end = await waitForAnswer(questions, { question, remainingMs, clock, signal });
      // Without a key no one ever resumes the wait.
      if (end.kind === 'cancelled' && key === undefined)
        await withdraw(questions, id, 'whoever asked is no longer waiting', clock);
      options.onSettled?.(id);
      return end;
    },
    async answer(given) {
      const at = new Date(clock.now()).toISOString();
      await answerQuestion(questions, question, { kind: 'answered', ...given, at }).catch(() => {});
    },
    close: reason => withdraw(questions, id, reason, clock),
  };
}

const same = (text: string): string => text;

const toldOf = (id: string, asked: AskRequest, mask: (text: string) => string): Told => ({
  id,
  question: mask(asked.question),
  ...(asked.title !== undefined && { title: mask(asked.title) }),
  ...(asked.files && asked.files.length > 0 && { files: contextPaths(asked.files, mask) }),
  ...(asked.key !== undefined && { key: asked.key }),
  ...(asked.deadlineMs !== null && { expires: isoTime(Date.now() + asked.deadlineMs) }),
});

/** Contract: throws for what cannot stand before `/callback`. */
function checkedBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.test(url.hostname));
  if (!url || !isSafe || url.search || url.hash || url.username || url.password)
    throw new Error('callback_base_url must be an https address such as https://approvals.example.com');
  return url.href.replace(/\/+$/, '');
}

const loopback = /^(127(\.\d+){3}|localhost|\[::1\])$/;

/** After a restart the clock on the wall is all there is; it may have been set back, which gives no more than was given at first. */
function leftOf({ expires }: Question, deadlineMs: number | null, clock: Clock): number | null {
  if (expires === null) return null;
  const leftMs = Math.max(0, Date.parse(expires) - clock.now());
  return deadlineMs === null ? leftMs : Math.min(leftMs, deadlineMs);
}

/** An answer that came first stays. One that comes where this cannot be kept is read by no one; it decides nothing. */
async function withdraw(questions: Questions, id: string, reason: string, clock: Clock): Promise<void> {
  const at = new Date(clock.now()).toISOString();
  await questions.settle(id, { kind: 'withdrawn', at, reason }).catch(() => {});
}

/** Where it cannot be kept, it is sent once more after a crash, which is better than not at all. */
async function keepSent(questions: Questions, id: string, url: string): Promise<void> {
  await questions.change(id, question => ({ ...question, sentUrl: hashToken(url) })).catch(() => {});
}
