import { nextMidnight } from '../../limits/calendar.ts';
import type { LimitSign } from '../../limits/limit.ts';

/** Gemini CLI answers with the code of the API as that of its error: 429 counts of itself, 503 only by its words. */
export const geminiLimits: readonly LimitSign[] = [
  // Its quotas of a day end at midnight Pacific time; the agent itself does not say so.
  {
    says: /exhausted your daily quota|quota .*per day/i,
    limit: 'usage',
    ends: now => nextMidnight('America/Los_Angeles', now),
  },
  { says: /exhausted your capacity on this model|QUOTA_EXHAUSTED/i, limit: 'usage' },
  { says: /model is overloaded|currently experiencing high demand|\bUNAVAILABLE\b/i, limit: 'overload' },
];
