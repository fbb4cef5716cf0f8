import type { Socket } from 'node:net';
import type { ServedAnswer, ServedCall } from '../ports.ts';
import { isToken, newMark } from '../tokens.ts';
import { lookAtClient } from './client-process.ts';
import { type Header, readHeader } from './header.ts';
import { readPayload } from './payload.ts';

export interface ThinServing {
  /** What the client shows us, and what we show it. */
  token: string;
  proof: string;
  /** Whether this client has to run the program itself. */
  declines(header: Header): boolean;
  /** What the client does if we vanish, and when it stops waiting for us. */
  whenLost(words: readonly string[]): { exitCode: number; limitSeconds: number };
  /** The client has shown who it is. */
  accept(socket: Socket): void;
  /** Undefined where it was cut short: nobody knows what the hooks would have said. */
  answer(call: ServedCall): Promise<ServedAnswer | undefined>;
}

const headerMs = 5000;
const lookMs = 500;

/**
 * One call: the client shows who it is, we show who we are and what happens if we vanish, it sends its standard input,
 * we answer. Until it has seen our half it has given away nothing and may still run the program itself.
 */
export function serveThin(socket: Socket, serving: ThinServing): void {
  socket.setNoDelay(true).on('error', () => socket.destroy());
  const late = setTimeout(() => socket.destroy(), headerMs);
  socket.on('close', () => clearTimeout(late));
  let bytes: Buffer = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    const reading = readHeader(bytes);
    if (reading.kind === 'more') return;
    clearTimeout(late);
    socket.off('data', onData);
    if (reading.kind === 'bad' || !isToken(reading.header.token, serving.token)) {
      socket.destroy();
      return;
    }
    serving.accept(socket);
    converse(socket, reading.header, serving).catch(() => socket.destroy());
  };
  socket.on('data', onData);
}

async function converse(socket: Socket, header: Header, serving: ThinServing): Promise<void> {
  const client = lookAtClient(header);
  if (client.kind === 'unlike' || serving.declines(header)) {
    socket.end(`${serving.proof} no\n`);
    return;
  }
  const gone = new AbortController();
  const end = newMark();
  const { exitCode, limitSeconds } = serving.whenLost(header.words);
  const payload = readPayload(socket, end);
  socket.write(`${serving.proof} ${end} ${exitCode} ${limitSeconds}\n`);
  const { env, isAlive } = client.look();
  const watch = setInterval(() => {
    // A program that its client has started may hold the connection open.
    if (!isAlive()) socket.destroy();
  }, lookMs);
  socket.on('close', () => {
    clearInterval(watch);
    gone.abort();
  });
  socket.on('end', () => socket.destroy());
  const input = await payload;
  if (input === undefined) return;
  const { cwd } = client;
  const answer = await serving.answer({ words: header.words, input, cwd, env, parent: header.parent, gone });
  if (answer === undefined) socket.destroy();
  else socket.end(frame(answer));
}

/** Small answers without NUL fit into a variable of the client; `b` tells it to copy bytes. */
const smallBytes = 2000;

function frame({ stdout, stderr, exitCode }: ServedAnswer): Buffer {
  const [out, err] = [Buffer.from(stdout), Buffer.from(stderr)];
  const isSmall = [out, err].every(bytes => bytes.length <= smallBytes && !bytes.includes(0));
  const head = `${exitCode} ${err.length} ${out.length} ${isSmall ? 't' : 'b'}\n`;
  return Buffer.concat([Buffer.from(head), err, out, Buffer.from('end\n')]);
}
