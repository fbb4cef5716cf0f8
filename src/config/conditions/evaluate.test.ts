import { describe, expect, test } from 'vitest';
import { evaluateCondition } from './evaluate.ts';

describe('a condition is evaluated with the variables of the event', () => {
  test.each([
    ['${ITERATION} == 10', { ITERATION: '10' }, true],
    ['${ITERATION} == 10', { ITERATION: '9' }, false],
    ['${ITERATION} == 1', { ITERATION: '1' }, true],
    ['${ITERATION} % 10 == 0', { ITERATION: '20' }, true],
    ['${ITERATION} % 10 == 0', { ITERATION: '21' }, false],
    ["${STAGE} == 'plan'", { STAGE: 'plan' }, true],
    ["${STAGE} == 'plan'", { STAGE: 'work' }, false],
    ["${LAST_DECISION} == 'stop'", { LAST_DECISION: 'stop' }, true],
    ["${ITERATION} > 5 && ${STAGE} == 'work'", { ITERATION: '6', STAGE: 'work' }, true],
    ["${ITERATION} > 5 && ${STAGE} == 'work'", { ITERATION: '5', STAGE: 'work' }, false],
    ["${STAGE} == 'work' && ${ITERATION} > 5", { ITERATION: '10', STAGE: 'work' }, true],
    ["${LAST_HOOK_STATUS} == 'failed'", { LAST_HOOK_STATUS: 'failed' }, true],
    ["${LAST_HOOK_STATUS} == 'failed'", { LAST_HOOK_STATUS: '' }, false],
    ["${NEXT_STAGE} == 'deploy'", { NEXT_STAGE: 'deploy' }, true],
    ['ITERATION < MAX_ITERATIONS', { ITERATION: '9', MAX_ITERATIONS: '10' }, true],
    ['true', {}, true],
    ['false', {}, false],
  ])('%s with %j is %s', (condition, variables, answer) => {
    expect(evaluateCondition(condition, variables)).toBe(answer);
  });

  test('missing numbers are 0 and missing texts are empty', () => {
    expect(evaluateCondition("ITERATION == 0 && MAX_ITERATIONS == 0 && STAGE == ''", {})).toBe(true);
    expect(evaluateCondition("ITERATION == 0 && STAGE == ''", { ITERATION: '', STAGE: '' })).toBe(true);
  });

  test.each(["x' == 'x' || '1", "plan' || true || '", '${ITERATION}', 'plan")', 'true'])(
    'a value is never read as part of the condition: %s',
    value => {
      expect(evaluateCondition("${STAGE} == 'plan'", { STAGE: value })).toBe(false);
      expect(evaluateCondition("${STAGE} != ''", { STAGE: value })).toBe(true);
    },
  );

  test('the same condition gives new answers for new values', () => {
    const answers = ['1', '2', '3', '4'].map(ITERATION => evaluateCondition('${ITERATION} % 2 == 0', { ITERATION }));
    expect(answers).toEqual([false, true, false, true]);
  });

  test.each(['ITERATION % 0 == 0', 'int(STAGE) == 1', 'STAGE ==', "ERROR.matches('a')", 'STAGE'])(
    'throws for %s, which has no answer',
    condition => {
      expect(() => evaluateCondition(condition, { ITERATION: '1', STAGE: 'x' })).toThrow();
    },
  );

  test('says in one line why there is not an answer', () => {
    expect(() => evaluateCondition('ITERATION % 0 == 0', {})).toThrow(/^modulo by zero$/);
  });
});
