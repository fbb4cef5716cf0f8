import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { AnswerControl, ControlReply } from '../../model/control.ts';
import { reasonOf } from '../../platform/files.ts';
import { listenPrivately } from '../../platform/private-socket.ts';
import { addressFile, socketName, writeAddress } from './address.ts';
import {
  createLineReader,
  maxRequestBytes,
  type ReadRequest,
  type RequestId,
  readRequest,
  writeReply,
} from './protocol.ts';

export interface ControlOptions {
  sessionFolder: string;
  env: Readonly<Record<string, string | undefined>>;
  answer: AnswerControl;
  limits?: Partial<ConnectionLimits>;
}

export type ControlServer =
  | { kind: 'open'; socket: string; close(): Promise<void> }
  | { kind: 'failed'; reason: string };

const usualLimits: ConnectionLimits = { idleMs: 60_000, graceMs: 1000 };

const maxConnections = 256;

/**
 * Lets programs of the same user ask a session, over a socket in a folder that only the user can enter.
 * Contract: the caller holds the session's lock, so a socket that is left there is no one's.
 */
export async function serveControl({ sessionFolder, env, answer, limits }: ControlOptions): Promise<ControlServer> {
  const connections = new Set<Connection>();
  const server = createServer(socket => {
    const connection = new Connection(socket, answer, { ...usualLimits, ...limits });
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  });
  server.maxConnections = maxConnections;
  try {
    const listening = await listenPrivately(server, socketName(sessionFolder), env);
    if (listening.kind === 'failed') return listening;
    const { socket } = listening;
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closed ??= closeAll(server, connections, [addressFile(sessionFolder), socket]);
      return closed;
    };
    try {
      writeAddress(sessionFolder, socket);
    } catch (error) {
      await close();
      throw error;
    }
    return { kind: 'open', socket, close };
  } catch (error) {
    return { kind: 'failed', reason: `${sessionFolder}: ${reasonOf(error)}` };
  }
}

/** The address goes first: whoever reads it finds someone who listens. */
function closeAll(server: Server, connections: Iterable<Connection>, files: readonly string[]): Promise<void> {
  for (const file of files) {
    try {
      rmSync(file, { force: true });
    } catch {
      // Whoever reads it sees that the process has ended, or that no one listens.
    }
  }
  return new Promise(resolve => {
    server.close(() => resolve());
    for (const connection of connections) connection.close('the session has ended');
  });
}

interface ConnectionLimits {
  /** Without a request in work. */
  idleMs: number;
  /** How long one that does not read its last answers is kept. */
  graceMs: number;
}

/** Requests of one connection that are in work at a time. */
const maxInWork = 32;

/** Answers that no one reads are not kept without end. */
const maxUnreadBytes = 4 * 1024 * 1024;

class Connection {
  readonly #socket: Socket;
  readonly #answer: AnswerControl;
  readonly #limits: ConnectionLimits;
  readonly #inWork = new Map<RequestId, AbortController>();

  constructor(socket: Socket, answer: AnswerControl, limits: ConnectionLimits) {
    this.#socket = socket;
    this.#answer = answer;
    this.#limits = limits;
    const read = createLineReader(maxRequestBytes, {
      line: bytes => this.#take(bytes),
      tooLong: () => this.#end(`a request has at most ${maxRequestBytes} bytes`),
    });
    socket.on('data', chunk => read(chunk as Buffer));
    // What is wrong with it shows as its end.
    socket.on('error', () => {});
    socket.on('end', () => this.#end());
    socket.on('close', () => this.#abort());
    socket.setTimeout(limits.idleMs, () => {
      if (this.#inWork.size === 0) socket.destroy();
    });
  }

  /** Who still waits is told so. */
  close(reason: string): void {
    for (const id of this.#inWork.keys()) this.#send(writeReply(id, refused(reason)));
    this.#end();
  }

  #take(line: Buffer): void {
    if (line.length === 0 || !this.#socket.writable) return;
    const read = readRequest(line);
    if (read.kind === 'hopeless') this.#end(read.reason);
    else if (read.kind === 'refused') this.#send(writeReply(read.id, refused(read.reason)));
    else if (this.#inWork.has(read.id)) this.#send(writeReply(read.id, refused('this id is in use')));
    else if (this.#inWork.size >= maxInWork) this.#send(writeReply(read.id, refused('too many requests at a time')));
    else void this.#work(read);
  }

  async #work({ id, request, from }: Extract<ReadRequest, { kind: 'request' }>): Promise<void> {
    const controller = new AbortController();
    this.#inWork.set(id, controller);
    const line = await lineFrom(id, () => this.#answer(request, controller.signal, from));
    if (this.#inWork.delete(id)) this.#send(line);
  }

  #send(line: string): void {
    if (this.#socket.writableLength > maxUnreadBytes) this.#socket.destroy();
    if (this.#socket.writable) this.#socket.write(line);
  }

  #end(why?: string): void {
    if (why !== undefined) this.#send(writeReply(null, refused(why)));
    this.#abort();
    this.#socket.destroySoon();
    setTimeout(() => this.#socket.destroy(), this.#limits.graceMs).unref();
  }

  #abort(): void {
    const controllers = [...this.#inWork.values()];
    this.#inWork.clear();
    for (const controller of controllers) controller.abort();
  }
}

const refused = (reason: string): ControlReply => ({ kind: 'refused', reason });

/** Whoever asks gets an answer, and the session goes on, also where answering it has a bug. */
async function lineFrom(id: RequestId, answer: () => Promise<ControlReply>): Promise<string> {
  try {
    return writeReply(id, await answer());
  } catch (error) {
    return writeReply(id, refused(`this is a bug: ${error}`));
  }
}
