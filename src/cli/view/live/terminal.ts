import { statOf } from '../../../platform/processes.ts';

export interface Keys {
  /** The terminal is as it was; `again` takes it once more. */
  release(): void;
  again(): void;
}

/** Reads what is typed into the terminal as it comes, a paste or an arrow key in one; undefined where there is none, or another program has it. */
export function readKeys(onKey: (key: string) => void): Keys | undefined {
  const { stdin } = process;
  if (!stdin.isTTY || !isForeground()) return undefined;
  const take = (text: string): void => {
    // To the whole group, as the terminal would: a shell in front of us waits for all of it.
    for (const [key, signal] of Object.entries(keySignals)) if (text.includes(key)) process.kill(0, signal);
    onKey(text);
  };
  const keys: Keys = {
    release() {
      stdin.off('data', take);
      try {
        stdin.setRawMode(false);
      } catch {
        // The terminal has gone away.
      }
      stdin.pause();
    },
    again() {
      if (!isForeground()) return;
      stdin.setRawMode(true);
      stdin.off('data', take);
      stdin.on('data', take);
      stdin.resume();
      // Whether someone may press a key is no reason to go on.
      stdin.unref();
    },
  };
  stdin.setEncoding('utf8');
  // A terminal that hangs up sends us a signal as well.
  stdin.on('error', () => keys.release());
  keys.again();
  return keys;
}

/** Keys that mean a signal; a terminal whose keys we read no longer sends it. */
const keySignals: Readonly<Record<string, NodeJS.Signals>> = {
  '\x03': 'SIGINT',
  '\x1a': 'SIGTSTP',
  '\x1c': 'SIGQUIT',
};

/** A program in the background that takes the terminal is stopped by the system. */
const isForeground = (): boolean => statOf(process.pid)?.isForeground ?? true;

/** What is done to the terminal before the program ends or stops, and when it goes on. */
export interface TerminalChanges {
  restore(): void;
  suspend(): void;
  goOn(): void;
}

/** Restores the terminal however the program ends, short of SIGKILL. Returns what takes this back. */
export function restoreAtEnd({ restore, suspend, goOn }: TerminalChanges): () => void {
  const end = (signal: NodeJS.Signals): void => {
    // Who else listens decides what the signal means, and closes the view.
    if (process.listenerCount(signal) > 1) return;
    restore();
    takeBack();
    process.kill(process.pid, signal);
  };
  const stop = (): void => {
    suspend();
    process.kill(process.pid, 'SIGSTOP');
  };
  const takeBack = (): void => {
    for (const signal of endSignals) process.off(signal, end);
    process.off('SIGTSTP', stop);
    process.off('SIGCONT', goOn);
    process.off('exit', restore);
  };
  for (const signal of endSignals) process.on(signal, end);
  process.on('SIGTSTP', stop);
  process.on('SIGCONT', goOn);
  process.on('exit', restore);
  return takeBack;
}

const endSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
