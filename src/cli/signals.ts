import { fstatSync, statSync } from 'node:fs';
import { createCancel } from '../platform/cancel.ts';
import { signalExit } from './exit.ts';

export interface Interruption {
  /** Aborted by the first signal: hooks have groups of their own, so nothing but us can end them. */
  signal: AbortSignal;
  exitCode(): number | undefined;
}

/** The first signal ends the hooks with their grace period, a second one ends us at once. */
export function watchSignals(): Interruption {
  const { signal, cancel } = createCancel();
  let code: number | undefined;
  for (const name of Object.keys(signalExit) as NodeJS.Signals[])
    process.on(name, () => {
      if (code !== undefined) leave(code);
      code = signalExit[name];
      cancel();
    });
  return { signal, exitCode: () => code };
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
