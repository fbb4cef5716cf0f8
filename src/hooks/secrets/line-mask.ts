import type { Mask } from './mask.ts';
import { openKeyStart } from './shapes.ts';

/** Masks a stream: pieces of text in, masked whole lines out. A secret that arrives in two pieces is still one. */
export interface LineMask {
  push(piece: string): string;
  end(): string;
}

/** A line longer than this is let go in parts. */
const maxHeldLength = 256 * 1024;
/** What stays behind of such a line, longer than secrets are. */
const overlapLength = 16 * 1024;

export function createLineMask(mask: Mask): LineMask {
  let held: string[] = [];
  let heldLength = 0;
  const release = (upTo: number, isEnd = false): string => {
    const text = held.join('');
    const length = isEnd ? upTo : (openKeyStart(text.slice(0, upTo)) ?? upTo);
    held = length < text.length ? [text.slice(length)] : [];
    heldLength = text.length - length;
    return mask(text.slice(0, length));
  };
  return {
    push(piece) {
      held.push(piece);
      heldLength += piece.length;
      const lineEnd = piece.lastIndexOf('\n');
      if (lineEnd !== -1) return release(heldLength - (piece.length - lineEnd - 1));
      return heldLength > maxHeldLength ? release(safeCut(held.join(''), mask)) : '';
    },
    end: () => (heldLength === 0 ? '' : release(heldLength, true)),
  };
}

/** The same for bytes: what may be written of each chunk, secrets hidden also where two chunks meet. */
export interface ByteMask {
  take(chunk: Buffer): Buffer;
  end(): Buffer;
}

export function createByteMask(mask: Mask): ByteMask {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const lines = createLineMask(mask);
  return {
    take: chunk => Buffer.from(lines.push(decoder.decode(chunk, { stream: true }))),
    end: () => Buffer.from(lines.push(decoder.decode()) + lines.end()),
  };
}

/** A cut is safe if masking both sides gives the same as masking the whole. */
function safeCut(text: string, mask: Mask): number {
  const whole = mask(text);
  for (let cut = text.length - overlapLength; cut > 0; cut -= overlapLength) {
    if (mask(text.slice(0, cut)) + mask(text.slice(cut)) === whole) return cut;
  }
  return text.length;
}
