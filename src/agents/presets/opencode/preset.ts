import type { Preset } from '../preset.ts';
import { opencodeLimits } from './limits.ts';

export const opencode: Preset = {
  program: 'opencode',
  package: 'opencode-ai@1.18.33',
  args: ['acp'],
  writesItself: true,
  // By default it asks no one, and a refusal needs a question.
  env: { OPENCODE_CONFIG_CONTENT: '{"permission":{"edit":"ask","bash":"ask"}}' },
  // Cost and context of models whose prices and size it knows; its tokens are those of a turn's last request alone.
  limits: opencodeLimits,
  reports: ['cost', 'tokens', 'context'],
  signIn: 'set the key of your provider (ANTHROPIC_API_KEY, OPENAI_API_KEY), or run `opencode auth login`',
  credentials: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', 'OPENCODE_CONFIG'],
};
