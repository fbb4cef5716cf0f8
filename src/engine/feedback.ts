import type { ActionOutcome } from '../model/index.ts';

/** What one hook may say to an agent. */
export const maxFeedbackBytes = 32 * 1024;

/** Where the whole of a text is that was too long: kept already, or to be kept. */
export interface Whole {
  bytes: number;
  path(): string | undefined;
}

/** Keeps head and tail of a long text; between them stand how much was left out and the file that has all of it. */
export function capText(
  text: string,
  locate: (text: string, bytes: number) => Whole,
  maxBytes = maxFeedbackBytes,
): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  const content = Buffer.from(text);
  const whole = locate(text, bytes);
  const path = whole.path();
  const half = Math.floor((maxBytes - 600) / 2);
  const headEnd = cutAt(content, half, content.lastIndexOf(newline, half));
  const tailStart = cutAt(content, bytes - half, content.indexOf(newline, bytes - half));
  const head = content.subarray(0, headEnd).toString().replace(/\n$/, '');
  const where = path === undefined ? '' : `: ${path}`;
  const more =
    whole.bytes > bytes
      ? `${grouped(whole.bytes - headEnd - (bytes - tailStart))} more bytes`
      : linesBetween(content, headEnd, tailStart);
  return `${head}\n... (${more}${where})\n${content.subarray(tailStart).toString()}`;
}

const newline = 0x0a;

/** How far a cut may move to fall between two lines. */
const maxShift = 4096;

/** Behind the line break where that is near, else at the nearest offset before `at` that does not split a character. */
function cutAt(bytes: Buffer, at: number, lineBreak: number): number {
  if (lineBreak !== -1 && Math.abs(lineBreak - at) <= maxShift) return lineBreak + 1;
  let border = at;
  while (border > 0 && (bytes[border]! & 0xc0) === 0x80) border -= 1;
  return border;
}

function linesBetween(bytes: Buffer, start: number, end: number): string {
  let lines = 0;
  for (let at = bytes.indexOf(newline, start); at !== -1 && at < end; at = bytes.indexOf(newline, at + 1)) lines += 1;
  return lines > 0 ? `${grouped(lines)} more ${lines === 1 ? 'line' : 'lines'}` : `${grouped(end - start)} more bytes`;
}

const grouped = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');

/** Where all is that a hook has said. Output that was too long to be held has its file already; any other text is kept now. */
export function wholeOf(
  outcome: ActionOutcome,
  text: string,
  bytes: number,
  keep: (text: string) => string | undefined,
): Whole {
  if (!('truncated' in outcome) || !outcome.truncated) return { bytes, path: () => keep(text) };
  const { stdout, stderr } = outcome;
  const { stdoutBytes, stderrBytes, stdoutFile, stderrFile } = outcome.truncated;
  // What was cut and could not be saved is not whole.
  const kept = (stream: string, all: number): string | undefined =>
    all > 0 && Buffer.byteLength(stream) >= all ? keep(stream) : undefined;
  return {
    bytes: stdoutBytes + stderrBytes,
    path() {
      const files = [stdoutFile ?? kept(stdout, stdoutBytes), stderrFile ?? kept(stderr, stderrBytes)];
      return files.filter(file => file !== undefined).join(' and ') || undefined;
    },
  };
}
