import type { Span } from '../located.ts';

/**
 * Where a part of a scalar's value stands in the file. Quotes, escapes, indentation and folded lines make the written
 * text longer than the value; where they cannot be followed, the place is the whole scalar.
 */
export function placeInScalar(
  fileText: string,
  scalar: Span,
  value: string,
  part: { offset: number; length: number },
): Span {
  const places = align(fileText.slice(scalar.start, scalar.end), value);
  const first = places?.[part.offset];
  if (places === undefined || first === undefined) return scalar;
  const last = places[Math.max(part.offset, part.offset + part.length - 1)] ?? first;
  return { start: scalar.start + first, end: scalar.start + (part.length === 0 ? first : last + 1) };
}

/** For every character of the value (and for its end) its offset in the written text. */
function align(written: string, value: string): number[] | undefined {
  const quote = written[0] === '"' || written[0] === "'" ? written[0] : undefined;
  const block = written[0] === '|' || written[0] === '>';
  const places: number[] = [];
  let at = block ? written.indexOf('\n') + 1 : quote ? 1 : 0;
  for (let index = 0; index < value.length; index += 1) {
    const wanted = value[index]!;
    if (!isBlank(wanted)) while (isBlank(written[at])) at += 1;
    else if (at >= written.length) {
      places.push(at);
      continue;
    }
    if (quote && written[at] === (quote === '"' ? '\\' : "'") && written[at + 1] === wanted) at += 1;
    if (written[at] !== wanted && !(isBlank(wanted) && isBlank(written[at]))) return undefined;
    places.push(at);
    at += 1;
  }
  return [...places, at];
}

const isBlank = (character: string | undefined): boolean => character !== undefined && /\s/.test(character);
