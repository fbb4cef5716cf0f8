import { describe, expect, test } from 'vitest';
import { childOf, placeInScalar } from './located.ts';
import { parseYaml } from './yaml.ts';

/** What the file holds at the place of `part` of the value of `when`. */
function shown(file: string, part: string): string {
  const parsed = parseYaml(file);
  const when = parsed.kind === 'parsed' ? childOf(parsed.root, 'when') : undefined;
  if (when?.kind !== 'scalar' || typeof when.value !== 'string') throw new Error('no text in when');
  const { start, end } = placeInScalar(file, when, {
    offset: when.value.indexOf(part),
    length: part.length,
  });
  return `${file.slice(0, start).split('\n').length}: ${file.slice(start, end)}`;
}

describe('a part of a value is found in the file', () => {
  test.each([
    ['plain', 'when: STAG == 1', 'STAG', '1: STAG'],
    ['in single quotes', "when: 'a == ''b'' && STAG'", 'STAG', '1: STAG'],
    ['in double quotes', 'when: "a == \\"b\\" && STAG"', 'STAG', '1: STAG'],
    ['behind an anchor', 'when: &c "a && STAG"', 'STAG', '1: STAG'],
    ['in a literal block', 'when: |\n    a &&\n    STAG\n', 'STAG', '3: STAG'],
    ['in a folded block', 'when: >-\n  a &&\n  b && STAG\n', 'STAG', '3: STAG'],
    ['on a continued line', 'when: "a &&\n  STAG"', 'STAG', '2: STAG'],
  ])('%s', (_, file, part, found) => {
    expect(shown(file, part)).toBe(found);
  });

  test('the whole value where escapes cannot be followed', () => {
    expect(shown('when: "a \\x26& STAG"', 'STAG')).toBe('1: "a \\x26& STAG"');
  });
});
