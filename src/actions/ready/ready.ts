import { isExecutable } from '../executable.ts';
import type { ReadyProcesses } from './ports.ts';
import type { Waiting } from './waiting.ts';

/** Calls that follow each other at once are not held up by a start that is for the next one. */
const restMs = 2;

/**
 * For a program that stays: the next process is started while nobody waits for it. A fork of ours takes longer than a
 * short hook, since the kernel copies the map of all our memory; one that has happened costs nothing.
 * Without Perl, which alone can become any program without another start, there are none.
 */
export function createReadyProcesses(): ReadyProcesses & { close(): void } {
  const perl = process.platform === 'linux' ? ['/usr/bin/perl', '/bin/perl'].find(isExecutable) : undefined;
  let loaded: typeof import('./waiting.ts') | undefined;
  let waiting: Waiting | undefined;
  let rest: NodeJS.Timeout | undefined;
  let isClosed = perl === undefined;
  const refill = async (): Promise<void> => {
    loaded ??= await import('./waiting.ts');
    if (!isClosed && !waiting?.isAlive()) waiting = loaded.startWaiting(perl!);
  };
  const refillLater = (): void => {
    clearTimeout(rest);
    if (!isClosed) rest = setTimeout(() => void refill().catch(() => {}), restMs).unref();
  };
  return {
    take() {
      if (!waiting?.isReady()) {
        refillLater();
        return undefined;
      }
      const taken = waiting;
      waiting = undefined;
      // Not sooner: a fork of ours must not hold up the news that the hook has ended.
      void taken.ended.then(refillLater);
      return taken;
    },
    close() {
      isClosed = true;
      clearTimeout(rest);
      waiting?.end();
      waiting = undefined;
    },
  };
}
