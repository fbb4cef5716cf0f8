import type { Preset } from '../preset.ts';

export const opencode: Preset = {
  program: 'opencode',
  package: 'opencode-ai@1.18.33',
  args: ['acp'],
  writesItself: true,
  // By default it asks no one, and a refusal needs a question.
  env: { OPENCODE_CONFIG_CONTENT: '{"permission":{"edit":"ask","bash":"ask"}}' },
  /** opencode retries limits by itself and tells no one over the protocol: these are the words where it gives up. */
  limits: [
    {
      says: /usage limit (?:has been )?reached|FreeUsageLimitError|GoUsageLimitError|Free usage exceeded/i,
      limit: 'usage',
    },
    { says: /exceeded the [\w-]+ usage quota/i, limit: 'usage' },
    { says: /insufficient_quota|exceeded your current quota/i, limit: 'usage', withTime: true },
    { says: /Too Many Requests|rate limit(?:ed| reached| exceeded)|too_many_requests/i, limit: 'rate' },
    { says: /overloaded|Provider is overloaded|\b529\b/i, limit: 'overload' },
  ],
  // Cost and context of models whose prices and size it knows; its tokens are those of a turn's last request alone.
  reports: ['cost', 'tokens', 'context'],
  signIn: 'set the key of your provider (ANTHROPIC_API_KEY, OPENAI_API_KEY), or run `opencode auth login`',
  credentials: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', 'OPENCODE_CONFIG'],
};
