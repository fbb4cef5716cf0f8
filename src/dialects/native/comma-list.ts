/** `a, b` as a list; a comma inside braces belongs to the pattern, as in `*.{ts,js}`. */
export function commaList(written: string | readonly string[]): string[] {
  if (typeof written !== 'string') return written.flatMap(commaList);
  const parts = [''];
  let depth = 0;
  for (const character of written) {
    if (character === '{') depth += 1;
    if (character === '}') depth = Math.max(0, depth - 1);
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map(part => part.trim()).filter(part => part !== '');
}
