import { findSurvivors } from '../../actions/process/stop.ts';
import { signalExit } from '../exit.ts';
import { leave } from '../signals.ts';

/** How a person or the system ends a session. */
export interface Stopping {
  /** The first signal: end cleanly. */
  stop: AbortSignal;
  /** The second: end at once. */
  atOnce: AbortSignal;
  exitCode(): number | undefined;
  /** Who tells the person about the first signal; it may have come already. */
  onFirst(tell: () => void): void;
  /** Whose processes go down with us at the second signal, and what is done last. */
  guard(mark: string, lastly: () => void): void;
}

/** To be called before anything is begun that a signal must not cut off. */
export function watchStopSignals(): Stopping {
  const [stop, atOnce] = [new AbortController(), new AbortController()];
  const guarded: { mark: string; lastly(): void }[] = [];
  let code: number | undefined;
  let tellFirst = (): void => {};
  for (const name of Object.keys(signalExit) as NodeJS.Signals[])
    process.on(name, () => {
      if (code === undefined) {
        code = signalExit[name];
        tellFirst();
        stop.abort();
        return;
      }
      atOnce.abort();
      for (const { mark, lastly } of guarded) {
        killAll(mark);
        lastly();
      }
      leave(code);
    });
  return {
    stop: stop.signal,
    atOnce: atOnce.signal,
    exitCode: () => code,
    onFirst(tell) {
      tellFirst = tell;
      if (code !== undefined) tell();
    },
    guard: (mark, lastly) => void guarded.push({ mark, lastly }),
  };
}

function killAll(mark: string): void {
  for (const pid of findSurvivors({ mark }).escaped) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  }
}
