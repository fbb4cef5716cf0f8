import type { ByteMask } from '../../hooks/secrets/create-mask.ts';
import { strayLength, wholeLength } from '../../model/cut-text.ts';
import type { OpenFile, Spill } from '../output-files.ts';
import { createEdges, createSpillFile, type Saved } from './spill-file.ts';

export interface Captured {
  text: string;
  bytes: number;
  cut?: { file?: string };
}

const MiB = 1024 * 1024;

/** Up to `fullBytes` a stream is kept whole; beyond it, `edgeBytes` of its head and tail, and far more of both in the spill file. */
const captureLimits = { fullBytes: MiB, edgeBytes: 64 * 1024, spillEdgeBytes: 32 * MiB };

/** Collects one stream of a process in bounded memory. `end` decodes it, once. Contract: no one uses a chunk that it has taken. */
export function createCapture(
  name: 'stdout' | 'stderr',
  spill: Pick<Spill, 'open' | 'mask'>,
  limits = captureLimits,
): { take(chunk: Buffer): void; end(): Captured } {
  let bytes = 0;
  let held: Buffer | undefined;
  let overflow: ReturnType<typeof createOverflow> | undefined;
  return {
    take(chunk) {
      if (overflow === undefined && bytes + chunk.length > limits.fullBytes) {
        overflow = createOverflow(() => spill.open(name), limits, spill.mask?.());
        if (held !== undefined) overflow.take(held.subarray(0, bytes));
        held = undefined;
      }
      const { length } = chunk;
      if (overflow === undefined) held = append(held, bytes, chunk);
      else overflow.take(chunk);
      bytes += length;
    },
    end() {
      if (overflow === undefined) return { text: held === undefined ? '' : held.toString('utf8', 0, bytes), bytes };
      return { ...cutText(overflow.end()), bytes };
    },
  };
}

/** One buffer that doubles: a list of chunks costs far more than its bytes when a hook prints byte by byte. */
function append(held: Buffer | undefined, used: number, chunk: Buffer): Buffer {
  if (held === undefined) return chunk;
  const needed = used + chunk.length;
  const room = needed <= held.length ? held : Buffer.allocUnsafe(Math.max(needed, held.length * 2, 4096));
  if (room !== held) held.copy(room, 0, 0, used);
  chunk.copy(room, used);
  return room;
}

/** What is left of an output: `bytes` are all there were once it was masked. */
interface Overflowed {
  head: Buffer;
  tail: Buffer;
  bytes: number;
  saved: Saved;
}

/** Output beyond what memory may hold. Masked before anything is kept or written: half a secret at an edge would be recognised by no one. */
function createOverflow(
  open: () => OpenFile,
  { edgeBytes, spillEdgeBytes }: typeof captureLimits,
  mask: ByteMask = unmasked,
): { take(chunk: Buffer): void; end(): Overflowed } {
  const [head, ring] = [Buffer.allocUnsafe(edgeBytes), Buffer.allocUnsafe(edgeBytes)];
  const edges = createEdges(edgeBytes, (part, at, isFirst) => part.copy(isFirst ? head : ring, at));
  const file = createSpillFile(open, spillEdgeBytes);
  let bytes = 0;
  const keep = (chunk: Buffer): void => {
    bytes += chunk.length;
    edges.take(chunk);
    file.write(chunk);
  };
  return {
    take(chunk) {
      const masked = mask.take(chunk);
      keep(masked);
      for (const used of new Set([masked, chunk])) release(used);
    },
    end() {
      keep(mask.end());
      const { first, last } = edges.kept();
      const tail = Buffer.concat(last.map(([from, to]) => ring.subarray(from, to)));
      return { head: head.subarray(0, first), tail, bytes, saved: file.end() };
    },
  };
}

/** Of smaller ones there cannot be much. */
const worthBytes = 16 * 1024;

/** Gives the memory of a chunk back at once, by handing it to no one: V8 lets 60 MB of them pile up before it looks. */
function release(chunk: Buffer): void {
  // One that Node has cut from a larger piece of memory, which others use too, is less than half of it.
  const isOwn = chunk.length * 2 > chunk.buffer.byteLength;
  if (isOwn && chunk.length >= worthBytes) structuredClone(null, { transfer: [chunk.buffer as ArrayBuffer] });
}

const unmasked: ByteMask = { take: chunk => chunk, end: () => Buffer.alloc(0) };

/** Head and tail with a line between that says where more of it is. */
function cutText({ head, tail, bytes, saved }: Overflowed): Captured {
  const headLength = wordsEnd(head);
  const tailStart = wordsStart(tail);
  const leftOut = bytes - headLength - (tail.length - tailStart);
  const start = head.toString('utf8', 0, headLength);
  const line = `[${leftOut} bytes left out; ${whereTheyAre(saved, bytes)}]`;
  const text = `${start}${start.endsWith('\n') ? '' : '\n'}${line}\n${tail.toString('utf8', tailStart)}`;
  return { text, bytes, cut: saved.path === undefined ? {} : { file: saved.path } };
}

/** How far around a seam a white space is looked for. */
const seamBytes = 4096;

/** Cut behind a white space where there is one: half a secret would no longer be recognised by whoever masks the text. */
function wordsEnd(head: Buffer): number {
  for (let end = head.length; end > Math.max(0, head.length - seamBytes); end -= 1)
    if (isSpace(head[end - 1]!)) return end;
  return wholeLength(head);
}

function wordsStart(tail: Buffer): number {
  for (let start = 0; start < Math.min(tail.length, seamBytes); start += 1) if (isSpace(tail[start]!)) return start + 1;
  return strayLength(tail);
}

const isSpace = (byte: number): boolean => byte === 10 || byte === 32;

function whereTheyAre({ path, first, last, trouble }: Overflowed['saved'], bytes: number): string {
  const why = trouble === undefined ? '' : ` (${trouble})`;
  if (path === undefined) return `they could not be saved${why}`;
  if (first + last === bytes) return `all ${bytes} bytes are in ${path}`;
  if (trouble !== undefined) return `only the first ${first} of ${bytes} bytes are in ${path}${why}`;
  return `the first ${first} and the last ${last} of ${bytes} bytes are in ${path}`;
}
