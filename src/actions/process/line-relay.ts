import { wholeLength } from '../../model/cut-text.ts';

/** Hands a stream on line by line as it comes. `end` hands on a last line without a newline. */
export interface LineRelay {
  take(chunk: Buffer): void;
  end(): void;
}

export function createLineRelay(relay: (line: string) => void, maxLineBytes = 64 * 1024): LineRelay {
  let pending: Buffer[] = [];
  let pendingBytes = 0;

  const hold = (bytes: Buffer): void => {
    if (bytes.length === 0) return;
    pending.push(bytes);
    pendingBytes += bytes.length;
  };
  const release = (): Buffer => {
    const bytes = pending.length === 1 ? pending[0]! : Buffer.concat(pending, pendingBytes);
    pending = [];
    pendingBytes = 0;
    return bytes;
  };
  const cutLongLine = (): void => {
    let rest = release();
    while (rest.length > maxLineBytes) {
      const length = pieceLength(rest, maxLineBytes);
      relay(rest.toString('utf8', 0, length));
      rest = rest.subarray(length);
    }
    hold(rest);
  };

  return {
    take(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        hold(chunk.subarray(start, end));
        if (pendingBytes > maxLineBytes) cutLongLine();
        relay(release().toString('utf8'));
        start = end + 1;
      }
      // A copy: whoever else takes the chunk may give its memory back.
      hold(Buffer.from(chunk.subarray(start)));
      if (pendingBytes > maxLineBytes) cutLongLine();
    },
    end() {
      if (pendingBytes > 0) relay(release().toString('utf8'));
    },
  };
}

/** After a space where there is one: a secret cut in two would no longer be recognised by whoever masks the pieces. */
function pieceLength(line: Buffer, maxBytes: number): number {
  const space = line.lastIndexOf(32, maxBytes - 1);
  return space >= maxBytes / 2 ? space + 1 : wholeLength(line, maxBytes) || maxBytes;
}
