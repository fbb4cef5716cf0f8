import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { ControlReply, ControlRequest } from '../../model/control.ts';
import { readAddress } from './address.ts';
import { createLineReader, maxReplyBytes, maxRequestBytes, readReply, writeRequest } from './protocol.ts';

export type AskResult = ControlReply | { kind: 'not-running' } | { kind: 'failed'; reason: string };

export interface AskOptions {
  /** Aborted: the session learns that no one waits any more. */
  signal?: AbortSignal;
  /** Without it the answer may take as long as hooks and people do. */
  timeoutMs?: number;
  /** The key of the hook's run in which it is asked. */
  from?: string | undefined;
}

/** Asks the process that runs a session. Contract: never rejects. */
export async function askSession(
  sessionFolder: string,
  request: ControlRequest,
  { signal, timeoutMs, from }: AskOptions = {},
): Promise<AskResult> {
  const address = readAddress(sessionFolder);
  if (!address) return { kind: 'not-running' };
  const id = randomUUID();
  const line = writeRequest(id, request, from);
  if (Buffer.byteLength(line) > maxRequestBytes)
    return { kind: 'refused', reason: `this is too long: the session takes ${maxRequestBytes} bytes` };
  const giveUp = new AbortController();
  const stop = (reason: string): void => giveUp.abort(reason);
  const timer = timeoutMs && setTimeout(stop, timeoutMs, `the session did not answer within ${timeoutMs / 1000} s`);
  const cancel = (): void => stop('it was cancelled');
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
  try {
    return await exchange(address.socket, id, line, giveUp.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

function exchange(path: string, id: string, line: string, giveUp: AbortSignal): Promise<AskResult> {
  return new Promise(resolve => {
    const socket = connect(path);
    const settle = (result: AskResult): void => {
      resolve(result);
      socket.destroy();
    };
    const fail = (reason: string): void => settle({ kind: 'failed', reason });
    const read = createLineReader(maxReplyBytes, {
      line: bytes => {
        const reply = readReply(bytes, id);
        if (reply) settle(reply);
        else fail('its reply cannot be understood');
      },
      tooLong: () => fail(`its reply is longer than ${maxReplyBytes} bytes`),
    });
    giveUp.addEventListener('abort', () => fail(giveUp.reason));
    if (giveUp.aborted) return fail(giveUp.reason);
    socket.on('connect', () => socket.write(line));
    socket.on('data', chunk => read(chunk as Buffer));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      noOneListens.has(error.code ?? '') ? settle({ kind: 'not-running' }) : fail(error.message),
    );
    socket.on('close', () => fail('the session ended before it replied'));
  });
}

const noOneListens: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT']);
