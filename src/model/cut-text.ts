/** Where the whole of a text is that was too long: kept already, or to be kept. */
export interface Whole {
  bytes: number;
  path(): string | undefined;
}

/** Keeps head and tail of a long text; between them stand how much was left out and the file that has all of it. */
export function capText(
  text: string,
  maxBytes: number,
  locate: (text: string, bytes: number) => Whole = keptNowhere,
): string {
  // No character has more bytes than three for each of its units.
  if (text.length * 3 <= maxBytes) return text;
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

const keptNowhere = (_text: string, bytes: number): Whole => ({ bytes, path: () => undefined });

const newline = 0x0a;

/** How far a cut may move to fall between two lines. */
const maxShift = 4096;

/** Behind the line break where that is near, else at the nearest offset before `at` that does not split a character. */
const cutAt = (bytes: Buffer, at: number, lineBreak: number): number =>
  lineBreak !== -1 && Math.abs(lineBreak - at) <= maxShift ? lineBreak + 1 : wholeLength(bytes, at);

function linesBetween(bytes: Buffer, start: number, end: number): string {
  let lines = 0;
  for (let at = bytes.indexOf(newline, start); at !== -1 && at < end; at = bytes.indexOf(newline, at + 1)) lines += 1;
  return lines > 0 ? `${grouped(lines)} more ${lines === 1 ? 'line' : 'lines'}` : `${grouped(end - start)} more bytes`;
}

const grouped = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');

/** How many of the first `end` bytes are whole UTF-8 characters: a character cut at the end is left out. */
export function wholeLength(bytes: Uint8Array, end = bytes.length): number {
  const last = Math.min(end, bytes.length);
  let lead = last - 1;
  while (lead > last - 4 && lead > 0 && isContinuation(bytes[lead]!)) lead -= 1;
  if (lead < 0) return last;
  return last - lead < characterLength(bytes[lead]!) ? lead : last;
}

/** How many bytes at the start belong to a character that began before. */
export function strayLength(bytes: Uint8Array): number {
  let stray = 0;
  while (stray < 3 && stray < bytes.length && isContinuation(bytes[stray]!)) stray += 1;
  return stray;
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

function characterLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
