import { fstatSync, statSync } from 'node:fs';
import { createCancel } from '../platform/cancel.ts';
import { signalExit } from './exit.ts';

/** How a person or the system ends a command. */
export interface Interruption {
  /** Aborted by the first signal: hooks have groups of their own, so nothing but us can end them. */
  signal: AbortSignal;
  exitCode(): number | undefined;
}

/** A session tells of it, and ends otherwise at the second signal. */
export interface Stopping extends Interruption {
  /** Aborted by the second one. */
  atOnce: AbortSignal;
  /** Who tells the person about the first signal; it may have come already. */
  onFirst(tell: () => void): void;
  /** What is said last at the second one. */
  onSecond(tell: () => void): void;
}

/** The first signal ends the hooks with their grace period, a second one ends us at once. To be called before anything is begun that a signal must not cut off. */
export function watchSignals(): Stopping {
  let first: ReturnType<typeof createCancel> | undefined;
  let second: AbortController | undefined;
  const made = () => {
    first ??= createCancel();
    return first;
  };
  const atOnce = () => {
    second ??= new AbortController();
    return second;
  };
  let code: number | undefined;
  let [tellFirst, tellSecond] = [() => {}, () => {}];
  for (const name of Object.keys(signalExit) as NodeJS.Signals[])
    process.on(name, () => {
      if (code === undefined) {
        code = signalExit[name];
        tellFirst();
        made().cancel();
        return;
      }
      atOnce().abort();
      tellSecond();
      leave(code);
    });
  return {
    // Made when someone waits for them: Node loads its signals only then, and what no process runs for needs none.
    get signal() {
      return made().signal;
    },
    get atOnce() {
      return atOnce().signal;
    },
    exitCode: () => code,
    onFirst(tell) {
      tellFirst = tell;
      if (code !== undefined) tell();
    },
    onSecond(tell) {
      tellSecond = tell;
    },
  };
}

/**
 * Ends us with an exit code. Node puts back the terminal when it ends, and aborts with SIGABRT where the terminal is gone;
 * so after a hang-up of a terminal the signal itself ends us, which is the same 129 for whoever started us.
 */
export function leave(code: number): void {
  if (code === signalExit['SIGHUP'] && [0, 1, 2].some(isTerminal)) {
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  }
  process.exit(code);
}

/** Also of one that is gone, which `isatty` no longer knows as one. */
function isTerminal(fd: number): boolean {
  try {
    const stats = fstatSync(fd);
    return stats.isCharacterDevice() && stats.rdev !== statSync('/dev/null').rdev;
  } catch {
    return false;
  }
}
