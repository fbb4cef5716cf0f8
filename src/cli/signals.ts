import { signalExit } from './exit.ts';

export interface Interruption {
  /** Aborted by the first signal: hooks have groups of their own, so nothing but us can end them. */
  signal: AbortSignal;
  exitCode(): number | undefined;
}

/** The first signal ends the hooks with their grace period, a second one ends us at once. */
export function watchSignals(): Interruption {
  const controller = new AbortController();
  let code: number | undefined;
  for (const name of Object.keys(signalExit) as NodeJS.Signals[])
    process.on(name, () => {
      if (code !== undefined) process.exit(code);
      code = signalExit[name];
      controller.abort();
    });
  return { signal: controller.signal, exitCode: () => code };
}
