import { createLogUpdate } from 'log-update';
import { width } from './width.ts';

export interface ScreenSize {
  columns: number;
  rows: number;
}

/** The lower end of a terminal: an area that is redrawn in place, and lines above it that stay. */
export interface Screen {
  draw(lasting: readonly string[], area: readonly string[]): void;
  /** Takes the area away and gives the cursor back. */
  leave(lasting: readonly string[]): void;
  /** The terminal has another size now, and has moved what is on it. */
  resized(): void;
}

export function createScreen(write: (text: string) => void, size: () => ScreenSize): Screen {
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
  const screen: Screen = {
    draw(lasting, area) {
      // The differences that log-update draws are right only between areas of the same height.
      if (lasting.length > 0 || area.length !== drawn.length || reflowed > 0) clear();
      if (lasting.length > 0) collect(`${wrapOn}${lasting.map(line => `${line}\n`).join('')}${wrapOff}`);
      if (area.length > 0) update(area.join('\n'));
      drawn = area;
      if (pending === '') return;
      // Once is enough: a frame that is late must not hide it after the end.
      write(`${isHidden ? '' : hideCursor}${drawTogether}${wrapOff}${pending}${wrapOn}${drawNow}`);
      [pending, isHidden] = ['', true];
    },
    leave(lasting) {
      screen.draw(lasting, []);
      write(showAgain);
      isHidden = false;
    },
    resized() {
      const { columns } = size();
      reflowed = drawn.reduce((sum, line) => sum + Math.max(0, Math.ceil(width(line) / columns) - 1), 0);
    },
  };
  return screen;
}

/** A line that the terminal thinks wider than we do must not push the others down. */
const [wrapOn, wrapOff] = ['\x1b[?7h', '\x1b[?7l'];
const [drawTogether, drawNow] = ['\x1b[?2026h', '\x1b[?2026l'];
const [showCursor, hideCursor] = ['\x1b[?25h', '\x1b[?25l'];

/** Leaves a terminal as it was, whatever was being drawn. */
export const showAgain: string = drawNow + wrapOn + showCursor;

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
