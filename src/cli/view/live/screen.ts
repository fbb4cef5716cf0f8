import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { createLogUpdate } from 'log-update';
import { textWidth } from '../../print/text.ts';

export interface ScreenSize {
  columns: number;
  rows: number;
}

/** The lower end of a terminal: an area that is redrawn in place, and lines above it that stay. */
export function createScreen(size: () => ScreenSize) {
  const terminal = createTerminalWriter();
  let pending = '';
  let drawn: readonly string[] = [];
  let reflowed = 0;
  let isHidden = false;
  const collect = (text: string): void => {
    pending += text;
  };
  const update = createLogUpdate(streamInto(collect, size), { showCursor: true });
  const clear = (): void => {
    if (drawn.length > 0) update.clear();
    collect('\x1b[1A\x1b[2K'.repeat(reflowed));
    [drawn, reflowed] = [[], 0];
  };
  const screen = {
    draw(lasting: readonly string[], area: readonly string[]): void {
      // The differences that log-update draws are right only between areas of the same height.
      if (lasting.length > 0 || area.length !== drawn.length || reflowed > 0) clear();
      if (lasting.length > 0) collect(`${wrapOn}${lasting.map(line => `${line}\n`).join('')}${wrapOff}`);
      if (area.length > 0) update(area.join('\n'));
      drawn = area;
      if (pending === '') return;
      // Once is enough: a frame that is late must not hide it after the end.
      terminal.write(`${isHidden ? '' : hideCursor}${drawTogether}${wrapOff}${pending}${wrapOn}${drawNow}`);
      [pending, isHidden] = ['', true];
    },
    /** Takes the area away and gives the cursor back. */
    leave(lasting: readonly string[]): void {
      screen.draw(lasting, []);
      terminal.write(showAgain);
      isHidden = false;
    },
    /** Leaves the terminal as it was, whatever was being drawn. */
    restore(): void {
      if (terminal.isIdle()) terminal.write(showAgain);
    },
    /** The terminal has another size now, and has moved what is on it. */
    resized(): void {
      const { columns } = size();
      reflowed = drawn.reduce((sum, line) => sum + Math.max(0, Math.ceil(textWidth(line) / columns) - 1), 0);
    },
    /** Whether everything is on its way to the screen; else nothing new should be drawn. */
    isIdle: terminal.isIdle,
    close: terminal.close,
  };
  return screen;
}

/** A line that the terminal thinks wider than we do must not push the others down. */
const [wrapOn, wrapOff] = ['\x1b[?7h', '\x1b[?7l'];
const [drawTogether, drawNow] = ['\x1b[?2026h', '\x1b[?2026l'];
const [showCursor, hideCursor] = ['\x1b[?25h', '\x1b[?25l'];
const showAgain = drawNow + wrapOn + showCursor;

/** Everything of one picture is collected and written at once: what is drawn in pieces flickers. */
function streamInto(write: (text: string) => void, size: () => ScreenSize): NodeJS.WritableStream {
  const stream = {
    isTTY: false,
    get columns() {
      return size().columns;
    },
    get rows() {
      return size().rows;
    },
    write(text: string) {
      write(text);
      return true;
    },
  };
  return stream as unknown as NodeJS.WritableStream;
}

/** Writes to the terminal at once, but never waits for one that is stuck: a connection that hangs must not stop a session. */
function createTerminalWriter(): { write(text: string): void; isIdle(): boolean; close(): void } {
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
      // Without a terminal there is no one to show anything to.
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
