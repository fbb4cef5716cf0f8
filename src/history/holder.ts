import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Holder, livingHolder } from '../journal/holder.ts';

/** Who works on a session right now. Reads what the holder of its lock has written down: asking the lock itself could make a run that is just starting see it as taken. */
export function holderOf(folder: string): Holder | undefined {
  for (const name of ['holder.json', newestLockFile(folder)]) {
    const holder = name === undefined ? undefined : readHolder(join(folder, name));
    if (holder) return holder;
  }
  return undefined;
}

const maxHolderBytes = 4096;

function readHolder(path: string): Holder | undefined {
  try {
    const stats = lstatSync(path);
    return stats.isFile() && stats.size <= maxHolderBytes ? livingHolder(path) : undefined;
  } catch {
    return undefined;
  }
}

/** Where there are no abstract sockets, `lock.<n>` with the highest number names the holder. */
function newestLockFile(folder: string): string | undefined {
  if (process.platform === 'linux') return undefined;
  try {
    const numbers = readdirSync(folder).flatMap(name => /^lock\.(\d+)$/.exec(name)?.[1] ?? []);
    return numbers.length === 0 ? undefined : `lock.${Math.max(...numbers.map(Number))}`;
  } catch {
    return undefined;
  }
}
