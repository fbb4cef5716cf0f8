import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readAddress } from '../app/serve-address.ts';
import { lockFolder } from '../platform/lock.ts';

export type Single = { kind: 'single'; release(): Promise<void> } | { kind: 'busy'; pid?: number; url?: string };

const patienceMs = 20_000;
const againMs = 100;

/** There is one serve per user. One of another build is asked to finish what it does and to make room. */
export async function becomeSingle(state: string, build: string): Promise<Single> {
  let asked: number | undefined;
  for (const untilMs = performance.now() + patienceMs; ; ) {
    const lock = await lockFolder(join(state, 'serve'));
    if (lock.kind === 'held') return { kind: 'single', release: lock.release };
    const holder = readAddress(state);
    if (holder && holder.build !== build && holder.pid !== asked) asked = stop(holder.pid);
    if (asked === undefined || performance.now() > untilMs)
      return {
        kind: 'busy',
        ...(lock.pid !== undefined && { pid: lock.pid }),
        ...(holder && { url: holder.url }),
      };
    await delay(againMs);
  }
}

function stop(pid: number): number {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It was about to end anyway.
  }
  return pid;
}
