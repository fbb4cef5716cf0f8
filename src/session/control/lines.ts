export interface LineTaker {
  line(bytes: Buffer): void;
  /** Told once; nothing follows. */
  tooLong(): void;
}

const newline = 0x0a;

/** Cuts a stream into lines and keeps at most one of them in memory. */
export function createLineReader(maxBytes: number, taker: LineTaker): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let isOver = false;
  const keep = (part: Buffer): boolean => {
    size += part.length;
    if (size > maxBytes) {
      [parts, isOver] = [[], true];
      taker.tooLong();
      return false;
    }
    parts.push(part);
    return true;
  };
  return chunk => {
    let rest = chunk;
    while (!isOver) {
      const end = rest.indexOf(newline);
      if (!keep(end === -1 ? rest : rest.subarray(0, end)) || end === -1) return;
      const line = Buffer.concat(parts);
      [parts, size] = [[], 0];
      rest = rest.subarray(end + 1);
      taker.line(line);
    }
  };
}
