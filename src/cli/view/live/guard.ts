/** What is done to the terminal before the program ends or stops, and when it goes on. */
export interface Guarded {
  restore(): void;
  suspend(): void;
  goOn(): void;
}

/** Restores the terminal however the program ends, short of SIGKILL. Returns what lifts the guard. */
export function guardTerminal({ restore, suspend, goOn }: Guarded): () => void {
  const end = (signal: NodeJS.Signals): void => {
    // Who else listens decides what the signal means, and closes the view.
    if (process.listenerCount(signal) > 1) return;
    restore();
    lift();
    process.kill(process.pid, signal);
  };
  const stop = (): void => {
    suspend();
    process.kill(process.pid, 'SIGSTOP');
  };
  const lift = (): void => {
    for (const signal of ending) process.off(signal, end);
    process.off('SIGTSTP', stop);
    process.off('SIGCONT', goOn);
    process.off('exit', restore);
  };
  for (const signal of ending) process.on(signal, end);
  process.on('SIGTSTP', stop);
  process.on('SIGCONT', goOn);
  process.on('exit', restore);
  return lift;
}

const ending: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
