import type { Tokens, Usage } from '../../model/agent.ts';
import { fieldsOf, isCount } from '../../model/json.ts';
import { isText } from './protocol.ts';

/** What a `usage_update` tells: the context, and the cost of the conversation so far. */
export function usageIn(update: unknown): Usage {
  const { used, size, cost } = fieldsOf(update);
  const { amount, currency } = fieldsOf(cost);
  return {
    ...(isCount(used) && { contextUsed: used }),
    ...(isCount(size) && { contextSize: size }),
    ...(isCount(amount) && isText(currency) && { cost: { amount, currency } }),
  };
}

/**
 * The tokens that an answer, or an update in between (qwen), tells of. The protocol has no stable field for them: most say `usage`,
 * gemini `_meta.quota.token_count`, each in a spelling of its own.
 */
export function tokensIn(answer: unknown): Tokens | undefined {
  const { usage, _meta } = fieldsOf(answer);
  const counts = [fieldsOf(usage), fieldsOf(fieldsOf(fieldsOf(_meta)['quota'])['token_count'])];
  return counts.map(toTokens).find(tokens => tokens !== undefined);
}

function toTokens(count: Readonly<Record<string, unknown>>): Tokens | undefined {
  const input = count['inputTokens'] ?? count['input_tokens'];
  const output = count['outputTokens'] ?? count['output_tokens'];
  const cached = count['cachedReadTokens'] ?? count['cachedInputTokens'] ?? count['cached_input_tokens'];
  if (!isCount(input) || !isCount(output)) return undefined;
  return {
    input: Math.round(input),
    output: Math.round(output),
    ...(isCount(cached) && { cached: Math.round(cached) }),
  };
}
