import type { Readable, Writable } from 'node:stream';
import { createLineRelay } from '../../actions/process/line-relay.ts';
import type { AnyMessage, Stream } from './sdk.ts';

export interface Taps {
  /** Gets the params of each `session/update` at once and in order, of kinds nobody knows too. Contract: does not throw. */
  update(params: unknown): void;
  /** Gets what is no message, and answers to questions nobody asked. */
  noise(text: string): void;
}

const maxMessageBytes = 32 * 1024 * 1024;
/** What is so long and no message may be a broken one, and then somebody waits for it in vain. */
const maxNoiseLength = 8 * 1024 * 1024;

/**
 * One JSON message a line. The SDK's own stream answers garbage with errors, its connection drops updates it does not
 * know, hands the rest out late, and writes about both to our terminal; so updates are taken here, before it sees them.
 */
export function createMessageStream(io: { stdin: Writable; stdout: Readable }, taps: Taps): Stream {
  const asked = new Set<unknown>();
  let isOpen = true;
  let lineBytes = 0;
  /** Whether a line is longer than any message, with what comes next of it. */
  const isTooLong = (chunk: Buffer): boolean => {
    const end = chunk.indexOf(10);
    const isOver = lineBytes + (end === -1 ? chunk.length : end) > maxMessageBytes;
    lineBytes = end === -1 ? lineBytes + chunk.length : chunk.length - 1 - chunk.lastIndexOf(10);
    return isOver;
  };
  return {
    writable: new WritableStream<AnyMessage>({
      write(message) {
        if ('method' in message && 'id' in message) asked.add(message.id);
        // A dead agent's broken pipe is told by its end, not here.
        return new Promise<void>(resolve => io.stdin.write(`${JSON.stringify(message)}\n`, () => resolve()));
      },
    }),
    readable: new ReadableStream<AnyMessage>({
      start(controller) {
        const lines = createLineRelay(line => {
          if (!isOpen) return;
          const message = parseMessage(line);
          if (message === undefined) {
            if (line.length > maxNoiseLength) fail('it sent a line of more than 8 MiB that is no message');
            else if (line.trim() !== '') taps.noise(line.slice(0, 1000));
          } else if (message['method'] === 'session/update' && !('id' in message)) taps.update(message['params']);
          else if ('method' in message || asked.delete(message['id'])) controller.enqueue(message as AnyMessage);
          else taps.noise(`an answer nobody waits for: ${line.slice(0, 200)}`);
        }, maxMessageBytes);
        const fail = (reason: string): void => {
          if (isOpen) controller.error(new Error(reason));
          isOpen = false;
        };
        const close = (): void => {
          if (!isOpen) return;
          lines.end();
          if (isOpen) controller.close();
          isOpen = false;
        };
        io.stdout.on('data', (chunk: Buffer) => {
          if (isOpen && isTooLong(chunk)) fail('it sent a message that is longer than 32 MiB');
          if (isOpen) lines.take(chunk);
        });
        io.stdout.once('end', close).once('close', close).on('error', close);
      },
      cancel: () => {
        isOpen = false;
      },
    }),
  };
}

function parseMessage(line: string): Record<string, unknown> | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = isRecord(value) && value['jsonrpc'] === '2.0' && ('method' in value || 'id' in value);
    return isMessage ? value : undefined;
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
