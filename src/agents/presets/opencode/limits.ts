import type { LimitSign } from '../../limits/limit.ts';

/** opencode retries limits by itself and tells no one over the protocol: these are the words where it gives up. */
export const opencodeLimits: readonly LimitSign[] = [
  {
    says: /usage limit (?:has been )?reached|FreeUsageLimitError|GoUsageLimitError|Free usage exceeded/i,
    limit: 'usage',
  },
  { says: /exceeded the [\w-]+ usage quota/i, limit: 'usage' },
  { says: /insufficient_quota|exceeded your current quota/i, limit: 'usage', withTime: true },
  { says: /Too Many Requests|rate limit(?:ed| reached| exceeded)|too_many_requests/i, limit: 'rate' },
  { says: /overloaded|Provider is overloaded|\b529\b/i, limit: 'overload' },
];
