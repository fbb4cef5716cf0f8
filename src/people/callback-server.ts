import type { Server } from 'node:http';
import { reasonOf } from '../platform/files.ts';
import type { Questions } from '../session/store.ts';
import { proveOurs } from './challenge.ts';
import { closeServer, listenOnLoopback } from './http/server.ts';

/** `release` ends once running requests have their replies. */
export type SharedServer = { kind: 'joined'; port: number; release(): Promise<void> };

/**
 * Makes sure that some process of the user serves approvals at the port: this one, or one that does so already and whose
 * part we take over when it ends. Where a foreign program has the port, a port nearby is used.
 */
export async function joinServer(
  questions: Questions,
  port: number,
): Promise<SharedServer | { kind: 'failed'; reason: string }> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    return { kind: 'failed', reason: `${port} is not a port for callbacks` };
  let reason = '';
  for (const candidate of [port, ...nearby(port), 0]) {
    const joined = await joinAt(questions, candidate);
    if (joined.kind === 'joined') return joined;
    reason ||= joined.reason;
  }
  return { kind: 'failed', reason };
}

/** The same ones every time, so that all sessions of the user that must move meet again. */
const nearby = (port: number): number[] =>
  Array.from({ length: 20 }, (_, index) => port + 1 + index).filter(each => each <= 65_535);

interface Shared {
  port: number;
  users: number;
  /** Absent while another process serves. */
  server?: Server;
  retry?: NodeJS.Timeout;
  closing?: Promise<void>;
}

/** Of this process, by place and port. */
const shared = new Map<string, Promise<Shared | { reason: string }>>();
const takeOverMs = 1000;
const lastRepliesMs = 1000;

async function joinAt(questions: Questions, port: number): ReturnType<typeof joinServer> {
  const key = `${questions.place}\0${port}`;
  const known = shared.get(key);
  const opening = known ?? open(questions, port);
  if (!known && port !== 0) shared.set(key, opening);
  const opened = await opening;
  if ('reason' in opened) {
    shared.delete(key);
    return { kind: 'failed', reason: opened.reason };
  }
  if (opened.closing) {
    await opened.closing;
    return joinAt(questions, port);
  }
  opened.users += 1;
  let released: Promise<void> | undefined;
  const release = (): Promise<void> => {
    released ??= leave(questions, opened);
    return released;
  };
  return { kind: 'joined', port: opened.port, release };
}

async function open(questions: Questions, port: number): Promise<Shared | { reason: string }> {
  const server = await createServer(questions);
  const listening = await listenOnLoopback(server, port);
  if (listening.kind === 'listening') {
    const opened = { port: listening.port, users: 0, server };
    if (port === 0) shared.set(`${questions.place}\0${opened.port}`, Promise.resolve(opened));
    return opened;
  }
  const { isBusy, error } = listening;
  if (!isBusy || !(await proveOurs(questions, port)))
    return { reason: `the callback port ${port}: ${isBusy ? 'another program is using it' : reasonOf(error)}` };
  const opened: Shared = { port, users: 0 };
  opened.retry = setInterval(() => takeOver(questions, opened), takeOverMs).unref();
  return opened;
}

/** Loaded only here: most programs that may ask someone never do. It does not keep the process running. */
async function createServer(questions: Questions): Promise<Server> {
  const { createCallbackServer } = await import('./callbacks.ts');
  return createCallbackServer(questions).unref();
}

async function takeOver(questions: Questions, opened: Shared): Promise<void> {
  const server = await createServer(questions);
  if (opened.server || opened.closing) return;
  opened.server = server;
  if ((await listenOnLoopback(server, opened.port)).kind !== 'listening') delete opened.server;
  else if (opened.closing) await closeServer(server, lastRepliesMs);
  else clearInterval(opened.retry);
}

/** Whoever answered gets the reply, although the answer is what lets the session end. */
async function leave(questions: Questions, opened: Shared): Promise<void> {
  opened.users -= 1;
  if (opened.users > 0) return;
  clearInterval(opened.retry);
  opened.closing = opened.server ? closeServer(opened.server, lastRepliesMs) : Promise.resolve();
  await opened.closing;
  shared.delete(`${questions.place}\0${opened.port}`);
}
