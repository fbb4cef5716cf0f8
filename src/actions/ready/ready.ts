import { closeSync } from 'node:fs';
import { isExecutable } from '../executable.ts';
import { createInput } from '../process/file-input.ts';
import type { OpenFile, Spill } from '../spill.ts';
import type { ReadyProcess, ReadyProcesses } from './ports.ts';
import type { Waiting } from './waiting.ts';

/** Calls that follow each other at once are not held up by a start that is for the next one. */
const restMs = 2;
/** The files of older ones may have been cleaned away. */
const freshMs = 60 * 60 * 1000;

/**
 * For a program that stays: the next process is started while nobody waits for it. A fork of ours takes longer than a
 * short hook, since the kernel copies the map of all our memory; one that has happened costs nothing.
 * Without Perl, which alone can become any program without another start, there are none.
 */
export function createReadyProcesses(spill: Spill): ReadyProcesses & { close(): void } {
  const perl = process.platform === 'linux' ? ['/usr/bin/perl', '/bin/perl'].find(isExecutable) : undefined;
  let loaded: typeof import('./waiting.ts') | undefined;
  let waiting: Waiting | undefined;
  let rest: NodeJS.Timeout | undefined;
  let isClosed = perl === undefined;
  const refill = async (): Promise<void> => {
    loaded ??= await import('./waiting.ts');
    if (isClosed || waiting?.isAlive()) return;
    waiting?.discard();
    waiting = undefined;
    const files = openFiles(spill);
    if (!files) return;
    try {
      waiting = loaded.startWaiting({ perl: perl!, spill, ...files });
    } catch {
      closeSync(files.stdin);
      spill.discard(files.stdout);
      spill.discard(files.stderr);
    }
  };
  const refillLater = (): void => {
    clearTimeout(rest);
    if (!isClosed) rest = setTimeout(() => void refill().catch(() => {}), restMs).unref();
  };
  return {
    take() {
      const taken = waiting?.isReady() ? waiting : undefined;
      if (taken) waiting = undefined;
      if (taken && Date.now() - taken.atMs < freshMs) {
        // Not sooner: a fork of ours must not hold up the news that the hook has ended.
        void taken.ended.then(refillLater);
        return taken;
      }
      taken?.discard();
      refillLater();
      return undefined;
    },
    close() {
      isClosed = true;
      clearTimeout(rest);
      waiting?.discard();
      waiting = undefined;
    },
  };
}

/** undefined where they cannot be had. */
function openFiles(spill: Spill): Pick<ReadyProcess, 'stdin' | 'stdout' | 'stderr'> | undefined {
  const stdin = createInput();
  if (stdin === undefined) return undefined;
  const opened: OpenFile[] = [];
  try {
    for (const name of ['stdout', 'stderr'] as const) opened.push(spill.open(name));
    return { stdin, stdout: opened[0]!, stderr: opened[1]! };
  } catch {
    closeSync(stdin);
    for (const file of opened) spill.discard(file);
    return undefined;
  }
}
