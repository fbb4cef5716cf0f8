import type { LimitSign } from '../../limits/limit.ts';

/** Qwen Code repeats what an OpenAI-compatible API said, with its status in front. */
export const qwenLimits: readonly LimitSign[] = [
  { says: /Qwen OAuth quota exceeded|free daily quota has been reached/i, limit: 'usage' },
  {
    says: /Free allocated quota exceeded|insufficient_quota|exceeded your current quota/i,
    limit: 'usage',
    withTime: true,
  },
  { says: /(?:^|: )429\b|rate limit (?:reached|exceeded)|Throttling\.|Too Many Requests/i, limit: 'rate' },
  { says: /(?:^|: )(?:503|529)\b|overloaded/i, limit: 'overload' },
];
