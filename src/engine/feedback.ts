/** What one hook may say to an agent. */
export const maxFeedbackBytes = 32 * 1024;

/** Keeps head and tail of a long text and names the file that has all of it. */
export function capText(text: string, save: (text: string) => string | undefined, maxBytes = maxFeedbackBytes): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  const whole = Buffer.from(text);
  const path = save(text);
  const half = Math.floor((maxBytes - 300) / 2);
  const head = whole.subarray(0, charBorder(whole, half)).toString();
  const tail = whole.subarray(charBorder(whole, bytes - half)).toString();
  const left = `[${bytes - Buffer.byteLength(head) - Buffer.byteLength(tail)} bytes left out${path ? `; all of it is in ${path}` : ''}]`;
  return `${head}\n${left}\n${tail}`;
}

/** The nearest offset at or before `at` that does not split a character. */
function charBorder(bytes: Buffer, at: number): number {
  let border = at;
  while (border > 0 && (bytes[border]! & 0xc0) === 0x80) border -= 1;
  return border;
}
