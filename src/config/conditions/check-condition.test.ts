import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { grammar as native } from '../../dialects/native/config.ts';
import { grammar as pipelines } from '../../dialects/pipelines/config.ts';
import { checkCondition } from './check-condition.ts';
import { evaluateCondition } from './evaluate.ts';

/** The flaw of a condition, with the text it points at. */
function flawOf(text: string) {
  const checked = checkCondition(text, pipelines.variables);
  if (checked.kind === 'ok') return undefined;
  const { message, hint, offset, length } = checked;
  return { message, hint, at: text.slice(offset, offset + length) };
}

describe('a condition is checked when its file is loaded', () => {
  test.each([
    'true',
    '${ITERATION} == 10',
    '${ITERATION} % 10 == 0',
    "${STAGE} == 'plan'",
    "${LAST_DECISION} == 'stop'",
    "${ITERATION} > 5 && ${STAGE} == 'work'",
    "${STAGE} == 'work' && ${ITERATION} > 5",
    "${LAST_HOOK_STATUS} == 'failed'",
    "${NEXT_STAGE} == 'deploy'",
    "STAGE in ['plan', 'work'] || !(ITERATION < MAX_ITERATIONS)",
    "ERROR.contains('timeout') // a comment with ${ANYTHING}",
    "STAGE == 'costs $5 {x}'",
  ])('takes %s', text => {
    expect(checkCondition(text, pipelines.variables)).toEqual({ kind: 'ok', condition: text });
  });

  test.each([
    ["${STAG} == 'plan'", 'unknown variable STAG', 'did you mean STAGE?', '${STAG}'],
    ["STAGE == 'a' && ITERATON > 1", 'unknown variable ITERATON', 'did you mean ITERATION?', 'ITERATON'],
    ['${STAGE} == plan', 'unknown variable plan', "a text needs quotes: 'plan'", 'plan'],
    ["constructor == ''", 'unknown variable constructor', "a text needs quotes: 'constructor'", 'constructor'],
    [
      "'${STAGE}' == 'plan'",
      '${STAGE} stands in quotes, where it is only text',
      'drop the quotes: ${STAGE}',
      "'${STAGE}'",
    ],
    [
      "STAGE == 'x-${STAGE}'",
      '${STAGE} stands in quotes, where it is only text',
      'write ${STAGE} outside the quotes',
      '${STAGE}',
    ],
    ['${ITERATION} = 10', 'unexpected =', 'write == to compare', '='],
    ["STAGE == 'a' and ITERATION > 1", 'unexpected and', 'write &&', 'and'],
    ["$STAGE == 'a'", 'unexpected $', 'write ${NAME} or NAME', '$'],
    ["(STAGE == 'a'", 'the condition ends too early', undefined, ''],
    ["STAGE == 'a", 'unterminated string', undefined, "'a"],
    ['ITERATION > 1 && STAGE', "logical operator requires bool operands, got 'string'", undefined, 'STAGE'],
    ['${STAGE}', 'the condition yields a text, not true or false', "compare it: ${STAGE} == 'something'", '${STAGE}'],
    ['ITERATION', 'the condition yields a number, not true or false', 'compare it: ITERATION == 1', 'ITERATION'],
    [
      'dyn(STAGE)',
      'the condition yields the type dyn, not true or false',
      "compare it: dyn(STAGE) == 'something'",
      'dyn(STAGE)',
    ],
    [
      "ERROR.matches('(a+)+$')",
      'matches() is not available in conditions',
      'use contains(), startsWith(), endsWith() or in',
      "ERROR.matches('(a+)+$')",
    ],
    [' ', 'the condition is empty', 'leave `when` out', ''],
  ])('refuses %s and points at the flaw', (text, message, hint, at) => {
    expect(flawOf(text)).toEqual({ message, hint, at });
  });

  test.each(["${ITERATION} == '10'", 'STAGE == 10', 'STAGE < 3'])('refuses %s, whose types do not fit', text => {
    expect(flawOf(text)).toMatchObject({
      message: expect.stringContaining('these types do not go together'),
      at: text,
    });
  });

  test('knows the variables of the dialect only', () => {
    expect(checkCondition("TASK_ID == '1'", native.variables).kind).toBe('ok');
    expect(checkCondition("TASK_ID == '1'", pipelines.variables).kind).toBe('flaw');
  });

  test.each([
    ['500 parentheses', `${'('.repeat(500)}true${')'.repeat(500)}`],
    ['500 lists', `${'['.repeat(500)}${']'.repeat(500)} == []`],
    ['2000 negations', `${'!'.repeat(2000)}true`],
    ['1000 operands', `true${' && true'.repeat(500)}`],
    ['a megabyte', `STAGE == '${'a'.repeat(1_000_000)}'`],
  ])('refuses %s without a crash', (_, text) => {
    expect(flawOf(text)).toMatchObject({ message: 'the condition is too long or nested too deeply' });
  });

  test.each([
    ['nested', `[1].all(a, [2].exists(b, b == a))`],
    ['side by side', `[1].all(a, a > 0) && [2].exists(b, b > 1)`],
    [
      'ten deep',
      'abcdefghij'.split('').reduce((inner, name) => `[1,2,3,4,5,6,7,8,9,10].all(${name}, ${inner})`, 'true'),
    ],
  ])('goes through one list at most: %s', (_, text) => {
    expect(flawOf(text)).toMatchObject({ message: expect.stringContaining('at most one list') });
    expect(() => evaluateCondition(text, {})).toThrow('at most one list');
  });

  test('may go through one list', () => {
    const text = 'CHANGED_FILES.split("\\n").exists(file, file.endsWith(".sql"))';
    expect(checkCondition(text, pipelines.variables).kind).toBe('ok');
    expect(evaluateCondition(text, { CHANGED_FILES: 'a.ts\nb.sql' })).toBe(true);
    expect(() => evaluateCondition(text, { CHANGED_FILES: 'a'.repeat(300_000) })).toThrow('CHANGED_FILES is too long');
  });

  test('never throws, whatever the text', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '${',
        '}',
        'STAGE',
        'ITERATION',
        '==',
        '&&',
        "'",
        '"',
        '"""',
        '(',
        ')',
        '[',
        '{',
        '.',
        'r',
        '\\',
        '%',
        '1',
        ' ',
        '//',
        '\n',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        const text = pieces.join('');
        const checked = checkCondition(text, pipelines.variables);
        if (checked.kind === 'flaw') {
          expect(typeof checked.message).toBe('string');
          expect(checked.offset).toBeGreaterThanOrEqual(0);
          expect(checked.offset + checked.length).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
