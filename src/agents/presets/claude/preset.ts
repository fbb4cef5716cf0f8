import type { Preset } from '../preset.ts';
import { claudeLimits } from './limits.ts';

export const claude: Preset = {
  program: 'claude-agent-acp',
  package: '@agentclientprotocol/claude-agent-acp@0.99.1',
  args: [],
  limits: claudeLimits,
  reports: ['cost', 'tokens', 'context'],
  signIn: 'set ANTHROPIC_API_KEY, or run `claude` and type /login',
  credentials: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN'],
};
