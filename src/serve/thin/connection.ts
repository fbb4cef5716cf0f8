import type { Socket } from 'node:net';
import type { EntryCall, HostAnswer } from '../../app/answer-host.ts';
import { isAgent, whenLost } from '../../app/host-replies.ts';
import { newMark } from '../../app/serve-address.ts';
import { maxPayloadBytes } from '../../model/json.ts';
import { isOneOf } from '../../people/http/access.ts';
import type { CountedAnswers } from '../hook-routes.ts';
import { lookAtClient } from './client-process.ts';

/** What the thin client says first: fields that each end with NUL. */
export interface Header {
  token: string;
  pid: number;
  parent: number;
  /** The program that its launcher would start. */
  program: string;
  words: readonly string[];
}

export interface ThinServing {
  /** What the client shows us, and what we show it. */
  token: string;
  proof: string;
  /** Whether a client whose launcher would start that program has to do so. */
  declines(program: string): boolean;
  /** The client has shown who it is. */
  accept(socket: Socket): void;
  answer: CountedAnswers['hook'];
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
    if (reading.kind === 'bad' || !isOneOf(reading.header.token, [serving.token])) {
      socket.destroy();
      return;
    }
    serving.accept(socket);
    converse(socket, reading.header, serving).catch(() => socket.destroy());
  };
  socket.on('data', onData);
}

async function converse(socket: Socket, header: Header, serving: ThinServing): Promise<void> {
  const client = lookAtClient(header.pid, header.parent, header.words);
  const entry = readEntry(header.words);
  if (client.kind === 'unlike' || !entry || serving.declines(header.program)) {
    socket.end(`${serving.proof} no\n`);
    return;
  }
  const gone = new AbortController();
  const end = newMark();
  const { exitCode, limitSeconds } = whenLost(entry);
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
  const answer = await serving.answer({ ...entry, input }, { cwd, env, parent: header.parent, gone });
  if (answer === undefined) socket.destroy();
  else socket.end(frame(answer));
}

/** The words of an entry as `install` writes them; undefined for all others, which the program itself reads. */
function readEntry(words: readonly string[]): Omit<EntryCall, 'input'> | undefined {
  const at = words.indexOf('--from');
  const [command, agent = '', event, ...more] = at === -1 ? words : words.slice(0, at);
  const isEntry = command === 'hook' && isAgent(agent) && !event?.startsWith('-') && more.length === 0;
  if (!isEntry || (at !== -1 && words.length !== at + 2)) return undefined;
  return { agent, event, from: at === -1 ? undefined : words[at + 1] };
}

type HeaderReading = { kind: 'header'; header: Header } | { kind: 'more' } | { kind: 'bad' };

const protocol = 'hookloop/1';
const maxHeaderBytes = 64 * 1024;
const fixedFields = 6;
const maxWords = 64;

function readHeader(bytes: Buffer): HeaderReading {
  if (bytes.length > maxHeaderBytes) return { kind: 'bad' };
  const fields = bytes.toString('utf8').split('\0');
  // What follows the last NUL is not ended yet.
  const rest = fields.pop();
  const start = fields[0] ?? rest ?? '';
  if (fields.length === 0 ? !protocol.startsWith(start) : start !== protocol) return { kind: 'bad' };
  if (fields.length < fixedFields) return { kind: 'more' };
  const [, token = '', pid, parent, program = '', count] = fields;
  const [pidNumber, parentNumber, wordCount] = [pid, parent, count].map(wholeNumber);
  if (!pidNumber || parentNumber === undefined || !wordCount || wordCount > maxWords) return { kind: 'bad' };
  if (fields.length < fixedFields + wordCount) return { kind: 'more' };
  // The client waits for us now.
  if (fields.length > fixedFields + wordCount || rest !== '') return { kind: 'bad' };
  const words = fields.slice(fixedFields);
  return { kind: 'header', header: { token, pid: pidNumber, parent: parentNumber, program, words } };
}

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;

/** What comes before NUL and the agreed end; undefined where the connection ends earlier. */
function readPayload(socket: Socket, end: string): Promise<string | undefined> {
  const mark = Buffer.from(`\0${end}`);
  const chunks: Buffer[] = [];
  let size = 0;
  let tail: Buffer = Buffer.alloc(0);
  return new Promise(resolve => {
    socket.on('close', () => resolve(undefined));
    const take = (chunk: Buffer): void => {
      // Too much is an error in any case; it need not be kept for that.
      if (size <= maxPayloadBytes + mark.length) chunks.push(chunk);
      size += chunk.length;
      tail = Buffer.concat([tail, chunk.subarray(-mark.length)]).subarray(-mark.length);
      if (!tail.equals(mark)) {
        // The client's last bytes wait in its kernel until these have been acknowledged, which something to send hurries.
        socket.write('\n');
        return;
      }
      socket.off('data', take);
      socket.resume();
      resolve(
        Buffer.concat(chunks)
          .subarray(0, Math.max(0, size - mark.length))
          .toString('utf8'),
      );
    };
    socket.on('data', take);
  });
}

/** Small answers without NUL fit into a variable of the client; `b` tells it to copy bytes. */
const smallBytes = 2000;

function frame({ stdout, stderr, exitCode }: HostAnswer): Buffer {
  const [out, err] = [Buffer.from(stdout), Buffer.from(stderr)];
  const isSmall = [out, err].every(bytes => bytes.length <= smallBytes && !bytes.includes(0));
  const head = `${exitCode} ${err.length} ${out.length} ${isSmall ? 't' : 'b'}\n`;
  return Buffer.concat([Buffer.from(head), err, out, Buffer.from('end\n')]);
}
