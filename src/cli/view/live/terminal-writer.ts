import { closeSync, constants, openSync, writeSync } from 'node:fs';

/** Writes to the terminal at once, but never waits for one that is stuck: a connection that hangs must not stop a session. */
export interface TerminalWriter {
  write(text: string): void;
  /** Whether everything is on its way to the screen; else nothing new should be drawn. */
  isIdle(): boolean;
  close(): void;
}

export function createTerminalWriter(): TerminalWriter {
  const fd = openUnblocked();
  let rest = Buffer.alloc(0);
  let timer: NodeJS.Timeout | undefined;
  let endMs = Number.POSITIVE_INFINITY;
  const leave = (): void => {
    clearTimeout(timer);
    [timer, rest] = [undefined, Buffer.alloc(0)];
    if (fd !== standardError && endMs !== Number.POSITIVE_INFINITY) closeSync(fd);
  };
  const send = (): void => {
    timer = undefined;
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      // Without a terminal there is nobody to show anything to.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') rest = Buffer.alloc(0);
    }
    if (rest.length > 0 && Date.now() < endMs) timer = setTimeout(send, retryMs);
    else if (endMs !== Number.POSITIVE_INFINITY) leave();
  };
  return {
    write(text) {
      rest = Buffer.concat([rest, Buffer.from(text)]);
      if (!timer) send();
    },
    isIdle: () => rest.length === 0,
    close() {
      if (endMs !== Number.POSITIVE_INFINITY) return;
      endMs = Date.now() + patienceMs;
      if (!timer) leave();
    },
  };
}

const standardError = 2;
const retryMs = 20;
/** For the last words to a terminal that is stuck. */
const patienceMs = 2000;

/** The terminal once more: what is set on stderr itself would hold for every program that shares it. */
function openUnblocked(): number {
  try {
    return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return standardError;
  }
}
