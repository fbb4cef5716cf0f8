import { expect, test } from 'vitest';
import { tokensIn, usageIn } from './usage.ts';

test.each([
  [{ usage: { inputTokens: 60, outputTokens: 30, cachedReadTokens: 4 } }, { input: 60, output: 30, cached: 4 }],
  [{ _meta: { quota: { token_count: { input_tokens: 40, output_tokens: 20 } } } }, { input: 40, output: 20 }],
  [
    { usage: { inputTokens: 1 }, _meta: { quota: { token_count: { input_tokens: 2, output_tokens: 3 } } } },
    { input: 2, output: 3 },
  ],
  [{ usage: { inputTokens: -1, outputTokens: 2 } }, undefined],
  [{ usage: { inputTokens: '60', outputTokens: 30 } }, undefined],
  [{ usage: { inputTokens: Number.NaN, outputTokens: 30 } }, undefined],
  [{ usage: null, _meta: 'x' }, undefined],
  [undefined, undefined],
])('tokens in %j', (answer, tokens) => expect(tokensIn(answer)).toEqual(tokens));

test('a usage update tells context and cost, and nothing that is no number', () => {
  expect(usageIn({ used: 11, size: 100, cost: { amount: 0.5, currency: 'EUR' } })).toEqual({
    ...{ contextUsed: 11, contextSize: 100 },
    cost: { amount: 0.5, currency: 'EUR' },
  });
  expect(usageIn({ used: 'many', size: -1, cost: { amount: 1 } })).toEqual({});
});
