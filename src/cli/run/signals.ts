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
  /** What is said last at the second one. */
  onSecond(tell: () => void): void;
}

/** To be called before anything is begun that a signal must not cut off. */
export function watchStopSignals(): Stopping {
  const [stop, atOnce] = [new AbortController(), new AbortController()];
  let code: number | undefined;
  let [tellFirst, tellSecond] = [() => {}, () => {}];
  for (const name of Object.keys(signalExit) as NodeJS.Signals[])
    process.on(name, () => {
      if (code === undefined) {
        code = signalExit[name];
        tellFirst();
        stop.abort();
        return;
      }
      atOnce.abort();
      tellSecond();
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
    onSecond(tell) {
      tellSecond = tell;
    },
  };
}
