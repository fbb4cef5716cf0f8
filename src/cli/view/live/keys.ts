import { statOf } from '../../../platform/processes.ts';

export interface Keys {
  /** The terminal is as it was; `again` takes it once more. */
  release(): void;
  again(): void;
}

/** Keys that mean a signal; a terminal whose keys we read no longer sends it. */
const signals: Readonly<Record<string, NodeJS.Signals>> = { '\x03': 'SIGINT', '\x1a': 'SIGTSTP', '\x1c': 'SIGQUIT' };

/** Reads single keys from the terminal; undefined where there is none, or another program has it. */
export function readKeys(onKey: (key: string) => void, stdin: NodeJS.ReadStream = process.stdin): Keys | undefined {
  if (!stdin.isTTY || !isForeground()) return undefined;
  const take = (text: string): void => {
    // To the whole group, as the terminal would: a shell in front of us waits for all of it.
    for (const [key, signal] of Object.entries(signals)) if (text.includes(key)) process.kill(0, signal);
    // More than one character is a paste or an arrow key: nobody means an answer by it.
    if ([...text].length === 1) onKey(text);
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
      // Whether somebody may press a key is no reason to go on.
      stdin.unref();
    },
  };
  stdin.setEncoding('utf8');
  // A terminal that hangs up sends us a signal as well.
  stdin.on('error', () => keys.release());
  keys.again();
  return keys;
}

/** A program in the background that takes the terminal is stopped by the system. */
const isForeground = (): boolean => statOf(process.pid)?.isForeground ?? true;
