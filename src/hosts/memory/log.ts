import { appendFileSync, mkdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const maxBytes = 1024 * 1024;

/** Lines that nobody has to read, in a file that does not grow without end. Contract: never throws. */
export function createLog(folder: string | undefined, now: () => string): (line: string) => void {
  return line => {
    if (folder === undefined) return;
    const file = join(folder, 'log');
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) truncateSync(file);
      appendFileSync(file, `${now()} ${line.replaceAll(/\s+/g, ' ')}\n`, { mode: 0o600 });
    } catch {
      // Said in the contract.
    }
  };
}
