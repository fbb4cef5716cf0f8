import type { LimitSign } from '../../limits/limit.ts';

/** Codex answers with an error where its plan is used up (`codexErrorInfo`), and else with the sentence as its message. */
export const codexLimits: readonly LimitSign[] = [
  { says: /You've hit your usage limit/i, limit: 'usage' },
  // It says the same of an account without money.
  { says: /usageLimitExceeded|Quota exceeded\. Check your plan/i, limit: 'usage', withTime: true },
  { says: /last status: 429|\b429 Too Many Requests|Rate limit reached/i, limit: 'rate' },
  {
    says: /serverOverloaded|\bat capacity\b|experiencing high demand|\b503 Service Unavailable|\b529\b/i,
    limit: 'overload',
  },
];
