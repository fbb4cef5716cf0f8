import { describe, expect, test } from 'vitest';
import { parseCommands } from './parse.ts';
import type { Command } from './syntax/scan.ts';

/** Literal words as they are, others in angle brackets; assignments and redirections around them. */
function shape(text: string, command: Command): string {
  const word = ({ text: literal, start, end }: { text?: string; start: number; end: number }) =>
    literal ?? `<${text.slice(start, end)}>`;
  const parts = [
    ...command.assignments.map(
      ({ name, form, value }) => `${name}${form === 'plain' ? '' : `(${form})`}:=${word(value)}`,
    ),
    ...command.words.map(word),
    ...command.redirections.map(
      ({ operator, target, body }) =>
        `${operator} ${word(target)}${body ? ` ${body.quoted ? 'quoted' : 'open'} ${JSON.stringify(text.slice(body.start, body.end))}` : ''}`,
    ),
  ].join(' ');
  return command.kind === 'simple' ? parts : `${command.kind}: ${parts}`;
}

const shapes = (text: string) => parseCommands(text).commands.map(command => shape(text, command));

describe('parseCommands finds the words of', () => {
  test.each<[string, string[]]>([
    ['a b  c', ['a b c']],
    [`a\\ b 'c d' "e f" g"h"'i'`, ['a b c d e f ghi']],
    [`"\\"\\$\\\\\\a" '\\'`, ['"$\\\\a \\']],
    ['a $x "$x" ${x} `x` *.c', ['a <$x> <"$x"> <${x}> <`x`> <*.c>']],
    ["$'a b' $'a\\n' $\"c\"", ["a b <$'a\\n'> c"]],
    ['a; b & c && d || e\nf', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['a | b |& c', ['a', 'b', 'c']],
    ['(a; b) && { c; }', ['a', 'b', 'c']],
    ['a $(b $(c "$(d)"))', ['a <$(b $(c "$(d)"))>', 'b <$(c "$(d)")>', 'c <"$(d)">', 'd']],
    ['a "$(b ")" c)"', ['a <"$(b ")" c)">', 'b ) c']],
    ['a <(b) >(c)', ['a <<(b)> <>(c)>', 'b', 'c']],
    ['a $((1 + (2))) b', ['a <$((1 + (2)))> b']],
    ['a ${x:-"}"} b', ['a <${x:-"}"}> b']],
    ['X=1 Y="a b" Z=$(z) a B=2', ['X:=1 Y:=a b Z:=<$(z)> a B=2', 'z']],
    ['x=(a "b c") y[1]=2 c', ['x(array):=<(a "b c")> y(subscript):=<2> c']],
    ['a >b 2>&1 <c >>"d e" 3<>f &>g', ['a > b >& 1 < c >> d e <> f &> g']],
    ['a 2 >b', ['a 2 > b']],
    ['a # b; c\nd#e', ['a', 'd#e']],
    ['if a; then b; elif c; then d; else e; fi >f', ['a', 'b', 'c', 'd', 'e', 'compound: > f']],
    ['while a; do b; done < f | c', ['a', 'b', 'compound: < f', 'c']],
    ['until ! a; do b; done', ['a', 'b']],
    ['for x in a "b c"; do d; done', ['for: x a b c', 'd']],
    ['for x; do d; done', ['for: x', 'd']],
    [
      'case $x in a|b) c;; (d) e;& *) f; esac; g',
      ['case: <$x>', 'case: a b', 'c', 'case: d', 'e', 'case: <*>', 'f', 'g'],
    ],
    ['f() { a; }; function g { b; }', ['function: f', 'a', 'function: g', 'b']],
    ['time -p (a); time b', ['a', 'time b']],
    ['echo if then } fi', ['echo if then } fi']],
    ['a \\\n  b', ['a b']],
    [
      'cat <<A <<-"B"; x\nl $(y)\nA\n\tm $(n)\n\tB\nz',
      ['cat << A open "l $(y)\\n" <<- B quoted "\\tm $(n)\\n"', 'x', 'y', 'z'],
    ],
    [`a "$(cat <<'E'\ndon't )\nE\n)" b`, [`a <"$(cat <<'E'\ndon't )\nE\n)"> b`, `cat << E quoted "don't )\\n"`]],
    ['cat <<< "a b" c', ['cat c <<< a b']],
    ['[ -n a ] && [[ b ]]', ['[ -n a ]', '[[ b ]]']],
    ['{a,b} {} }', ['<{a,b}> {} }']],
    ['', []],
    [' \n\t# x', []],
  ])('%j', (text, commands) => {
    expect(shapes(text)).toEqual(commands);
    expect(parseCommands(text).trouble).toBeUndefined();
  });
});

describe('parseCommands', () => {
  test('tells the pipeline and stage of each command', () => {
    const places = parseCommands('a | b | c && d').commands.map(({ pipeline, stage }) => [pipeline, stage]);
    expect(places).toEqual([
      [0, 0],
      [0, 1],
      [0, 2],
      [1, 0],
    ]);
  });

  test('keeps backquoted programs with their escapes removed', () => {
    expect(parseCommands('a `b \\`c\\`` "`d \\"e\\"`"').programs).toEqual(['b `c`', 'd "e"']);
  });

  test('tells where the quoting changes', () => {
    const { changes } = parseCommands(`a "b"'c'`);
    expect(changes.map(({ at, quoting }) => `${at} ${quoting}`)).toEqual(['3 double', '4 bare', '5 single', '7 bare']);
  });

  test.each([
    ['a "b', 2, 'double quote'],
    ["a 'b", 2, 'single quote'],
    ['a $(b', 4, 'never closed'],
    ['a `b', 2, 'backquote'],
    ['a )', 2, 'never opened'],
    ['a <<E\nb', 4, 'never ends'],
    ['a <<E', 4, 'never ends'],
    ['a ${b', 2, 'never closed'],
    ['a $((b)', 2, 'closed by'],
    ['a >', 2, 'no target'],
    ['case a b', 8, 'no `in`'],
    ['((a))', 0, 'arithmetic'],
    ['a (b)', 2, 'differently'],
    ['a;;', 1, 'outside'],
    [`a $'\\''`, 3, 'differently'],
  ])('names the trouble in %j and keeps what it found', (text, at, why) => {
    const { trouble, commands } = parseCommands(text);
    expect(trouble).toEqual({ at, why: expect.stringContaining(why) });
    expect(commands.length).toBeGreaterThan(0);
  });
});
