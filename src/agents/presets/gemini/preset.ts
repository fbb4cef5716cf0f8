import type { Preset } from '../preset.ts';
import { geminiLimits } from './limits.ts';

export const gemini: Preset = {
  program: 'gemini',
  package: '@google/gemini-cli@0.61.0',
  args: ['--acp'],
  unasked: 'commands that it considers harmless (cat, ls)',
  limits: geminiLimits,
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
