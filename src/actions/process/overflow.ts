import type { ByteMask } from '../../hooks/secrets/mask.ts';
import type { OpenFile } from '../spill.ts';
import type { CaptureLimits } from './capture.ts';
import { createSpillFile, type Saved } from './spill-file.ts';

/** What is left of an output: `bytes` are all there were once it was masked. */
export interface Overflowed {
  head: Buffer;
  tail: Buffer;
  bytes: number;
  saved: Saved;
}

/** Output beyond what memory may hold: its head and tail stay, far more of both goes to a file. */
export interface Overflow {
  /** Contract: no one uses the chunk after that. */
  take(chunk: Buffer): void;
  end(): Overflowed;
}

/** Masked before anything is kept or written: half a secret at an edge would be recognised by no one. */
export function createOverflow(
  open: () => OpenFile,
  { edgeBytes, spillEdgeBytes }: CaptureLimits,
  mask: ByteMask = unmasked,
): Overflow {
  const head = Buffer.allocUnsafe(edgeBytes);
  let headLength = 0;
  const ring = createRing(edgeBytes);
  const file = createSpillFile(open, spillEdgeBytes);
  let bytes = 0;
  const keep = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (headLength < edgeBytes) headLength += chunk.copy(head, headLength);
    ring.take(chunk);
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
      return { head: head.subarray(0, headLength), tail: ring.content(), bytes, saved: file.end() };
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

/** The last `size` bytes of what it takes. */
function createRing(size: number): { take(chunk: Buffer): void; content(): Buffer } {
  const ring = Buffer.allocUnsafe(size);
  let next = 0;
  let filled = 0;
  return {
    take(chunk) {
      const last = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
      const fitting = last.copy(ring, next);
      if (fitting < last.length) last.copy(ring, 0, fitting);
      next = (next + last.length) % size;
      filled = Math.min(size, filled + last.length);
    },
    content: () =>
      filled < size ? ring.subarray(0, filled) : Buffer.concat([ring.subarray(next), ring.subarray(0, next)]),
  };
}
