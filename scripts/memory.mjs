import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const folder = `/dev/shm/hookloop-${process.getuid?.()}`;

/** As long as a claim counts. What is younger may belong to another run of the tests, or to the user's own agents. */
const idleMs = 10 * 60 * 1000;

/** What many short-lived homes leave in memory would stay there until the next start of the system. */
export function cleanMemory() {
  for (const name of names()) {
    const place = join(folder, name);
    const writtenMs = statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - writtenMs > idleMs) rmSync(place, { recursive: true, force: true });
  }
}

function names() {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
