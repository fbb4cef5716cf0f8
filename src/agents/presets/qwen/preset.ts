import type { Preset } from '../preset.ts';

export const qwen: Preset = {
  program: 'qwen',
  package: '@qwen-code/qwen-code@0.24.4',
  // Its own default lets a model decide about tools, and then no one is asked.
  args: ['--acp', '--approval-mode', 'default'],
  argsWith: { OPENAI_API_KEY: ['--auth-type', 'openai'] },
  // Otherwise its first prompt after a resume may come before the tools that we hand it.
  env: { QWEN_CODE_LEGACY_MCP_BLOCKING: '1' },
  /** Qwen Code repeats what an OpenAI-compatible API said, with its status in front. */
  limits: [
    { says: /Qwen OAuth quota exceeded|free daily quota has been reached/i, limit: 'usage' },
    {
      says: /Free allocated quota exceeded|insufficient_quota|exceeded your current quota/i,
      limit: 'usage',
      withTime: true,
    },
    { says: /(?:^|: )429\b|rate limit (?:reached|exceeded)|Throttling\.|Too Many Requests/i, limit: 'rate' },
    { says: /(?:^|: )(?:503|529)\b|overloaded/i, limit: 'overload' },
  ],
  reports: ['tokens'],
  signIn: 'set OPENAI_API_KEY (with OPENAI_BASE_URL and OPENAI_MODEL), or run `qwen` and sign in there',
  credentials: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'DASHSCOPE_API_KEY'],
};
