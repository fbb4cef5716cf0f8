import type { Preset } from '../preset.ts';
import { qwenLimits } from './limits.ts';

export const qwen: Preset = {
  program: 'qwen',
  package: '@qwen-code/qwen-code@0.24.4',
  // Its own default lets a model decide about tools, and then no one is asked.
  args: ['--acp', '--approval-mode', 'default'],
  argsWith: { OPENAI_API_KEY: ['--auth-type', 'openai'] },
  // Otherwise its first prompt after a resume may come before the tools that we hand it.
  env: { QWEN_CODE_LEGACY_MCP_BLOCKING: '1' },
  limits: qwenLimits,
  reports: ['tokens'],
  signIn: 'set OPENAI_API_KEY (with OPENAI_BASE_URL and OPENAI_MODEL), or run `qwen` and sign in there',
  credentials: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'DASHSCOPE_API_KEY'],
};
