import type { Readable, Writable } from 'node:stream';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { createLineRelay } from '../../actions/process/line-relay.ts';
import { type Fields, fieldsOf, jsonOf } from '../../model/json.ts';
import type { LimitSign } from '../limits/limit.ts';

/** Only this file imports the protocol's SDK. */
export type {
  AgentCapabilities,
  ClientConnection,
  McpServer,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';

/** It takes a tenth of a second to load, so only who needs it does. */
export const loadSdk = () => import('@agentclientprotocol/sdk');

/** What is known of an agent beside what it tells itself. */
export interface AgentTraits {
  /** It writes files itself in any case: what it would have us write besides, it writes over. */
  writesItself?: boolean | undefined;
  /** Its own hooks tell of each tool call before it is made: what the protocol tells is needed only where they did not. */
  hooksTell?: boolean | undefined;
  /** It tells of tools of MCP servers as of kind `execute`, with an input that is its own: of others that is a command. */
  mcpAsExecute?: boolean | undefined;
  /** Goes with every conversation that is opened, for the agent alone to understand. */
  meta?: Readonly<Record<string, unknown>> | undefined;
  /** How its user signs in. */
  signIn?: string | undefined;
  /** How it says, beside the codes that mean the same everywhere, that it may not go on for now. */
  limits?: readonly LimitSign[] | undefined;
}

export interface AcpOptions extends AgentTraits {
  name: string;
  /** Runs as `sh -c 'exec COMMAND'`. */
  command: string;
  /** Added where the session's environment has no such variable. */
  env?: Readonly<Record<string, string>>;
  /** Gets what it prints that is not of the protocol; absent: it is shown. Contract: does not throw. */
  onLog?: ((line: string) => void) | undefined;
  deadlines?: Partial<Deadlines>;
  /** How long nothing may come in a turn while nothing is pending (default 15 min); null: for ever. */
  silenceMs?: number | null | undefined;
}

export interface Deadlines {
  /** For the start of the process, and for the opening of a conversation. */
  startMs: number;
  /** How long a cancelled agent may take to say so before it is stopped. */
  cancelMs: number;
}

interface Taps {
  /** Gets the params of each `session/update` at once and in order, of kinds that no one knows too. Contract: does not throw. */
  update(params: unknown): void;
  /** Gets what is no message, and answers to questions that no one asked. */
  noise(text: string): void;
}

const maxMessageBytes = 32 * 1024 * 1024;
/** What is so long and no message may be a broken one, and then someone waits for it in vain. */
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
          else taps.noise(`an answer that no one asked for: ${line.slice(0, 200)}`);
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

function parseMessage(line: string): Fields | undefined {
  const value = fieldsOf(line.trimStart().startsWith('{') ? jsonOf(line) : undefined);
  return value['jsonrpc'] === '2.0' && ('method' in value || 'id' in value) ? value : undefined;
}

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** An id as a text, whatever it is. */
export const idOf = (id: unknown): string => (typeof id === 'string' ? id : (JSON.stringify(id) ?? 'none'));

/** An answer as the agent gave it, for those who are told that it is none. */
export const describeAnswer = (answer: unknown): string => (JSON.stringify(answer) ?? 'nothing').slice(0, 300);

/** What went wrong in the agent's own words, with the details that the protocol's short message hides. */
export function describeError(error: unknown): string {
  const { message, data } = fieldsOf(error);
  const { details } = fieldsOf(data);
  const more = typeof data === 'string' ? data : typeof details === 'string' ? details : JSON.stringify(data ?? '');
  const text = typeof message === 'string' ? message : error instanceof Error ? error.message : String(error);
  return more === '""' || more === '{}' || text.includes(more) ? text : `${text}: ${more.slice(0, 1000)}`;
}

/** What the SDK says of a connection that is gone. */
export const isClosed = (error: unknown): boolean =>
  error instanceof Error && error.message === 'ACP connection closed';
