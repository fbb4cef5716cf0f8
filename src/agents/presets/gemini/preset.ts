import { nextMidnight } from '../../limits/calendar.ts';
import type { Preset } from '../preset.ts';

export const gemini: Preset = {
  program: 'gemini',
  package: '@google/gemini-cli@0.61.0',
  args: ['--acp'],
  unasked: 'commands that it considers harmless (cat, ls)',
  /** Gemini CLI answers with the code of the API as that of its error: 429 counts of itself, 503 only by its words. */
  limits: [
    // Its quotas of a day end at midnight Pacific time; the agent itself does not say so.
    {
      says: /exhausted your daily quota|quota .*per day/i,
      limit: 'usage',
      ends: now => nextMidnight('America/Los_Angeles', now),
    },
    { says: /exhausted your capacity on this model|QUOTA_EXHAUSTED/i, limit: 'usage' },
    { says: /model is overloaded|currently experiencing high demand|\bUNAVAILABLE\b/i, limit: 'overload' },
  ],
  reports: ['tokens'],
  signIn: 'set GEMINI_API_KEY, or run `gemini` and sign in there',
  credentials: [
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'GOOGLE_CLOUD_PROJECT',
    'GOOGLE_CLOUD_LOCATION',
    'GOOGLE_GENAI_USE_VERTEXAI',
  ],
};
