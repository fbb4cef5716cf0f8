/** What one hook may say to an agent. */
export const maxFeedbackBytes = 32 * 1024;

/** Where the whole of a text is that was too long: kept already, or to be kept. */
export interface Whole {
  bytes: number;
  path(): string | undefined;
}

/** Keeps head and tail of a long text and names the file that has all of it. */
export function capText(
  text: string,
  wholeOf: (text: string, bytes: number) => Whole,
  maxBytes = maxFeedbackBytes,
): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  const content = Buffer.from(text);
  const whole = wholeOf(text, bytes);
  const path = whole.path();
  const half = Math.floor((maxBytes - 600) / 2);
  const head = content.subarray(0, charBorder(content, half)).toString();
  const tail = content.subarray(charBorder(content, bytes - half)).toString();
  const left = Math.max(0, whole.bytes - Buffer.byteLength(head) - Buffer.byteLength(tail));
  return `${head}\n[${left} bytes left out${path ? `; all of it is in ${path}` : ''}]\n${tail}`;
}

/** The nearest offset at or before `at` that does not split a character. */
function charBorder(bytes: Buffer, at: number): number {
  let border = at;
  while (border > 0 && (bytes[border]! & 0xc0) === 0x80) border -= 1;
  return border;
}
