import { findSurvivors } from '../../actions/process/survivors.ts';
import { signalExit } from '../exit.ts';

/** How a person or the system ends a session. */
export interface Stopping {
  /** The first signal: end cleanly. */
  stop: AbortSignal;
  /** The second: end at once. */
  atOnce: AbortSignal;
  exitCode(): number | undefined;
  /** Whose processes go down with us at the second signal, and what is done last. */
  guard(mark: string, lastly: () => void): void;
}

export function watchStopSignals(onFirst: () => void): Stopping {
  const [stop, atOnce] = [new AbortController(), new AbortController()];
  const guarded: { mark: string; lastly(): void }[] = [];
  let code: number | undefined;
  for (const name of Object.keys(signalExit) as NodeJS.Signals[])
    process.on(name, () => {
      if (code === undefined) {
        code = signalExit[name];
        onFirst();
        stop.abort();
        return;
      }
      atOnce.abort();
      for (const { mark, lastly } of guarded) {
        killAll(mark);
        lastly();
      }
      process.exit(code);
    });
  return {
    stop: stop.signal,
    atOnce: atOnce.signal,
    exitCode: () => code,
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
