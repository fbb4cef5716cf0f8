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
