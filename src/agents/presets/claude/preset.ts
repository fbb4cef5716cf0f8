import type { Preset } from '../preset.ts';

export const claude: Preset = {
  program: 'claude-agent-acp',
  package: '@agentclientprotocol/claude-agent-acp@0.99.1',
  args: [],
  /**
   * Claude Code says a plan's limit in a sentence of its own, and of its API the status. `errorKind` stands in the
   * data of the error (claude-agent-acp).
   */
  limits: [
    { says: /\b(?:usage )?limit reached\|\d|Claude (?:AI )?usage limit reached/i, limit: 'usage' },
    { says: /You've (?:hit|reached) your (?:[\w' ]+ )?limit\b/i, limit: 'usage' },
    { says: /\b(?:hour|session|weekly|opus|sonnet) limit reached\b/i, limit: 'usage' },
    {
      says: /spend limit reached|out of (?:extra )?usage|You've (?:hit|reached) your/i,
      limit: 'usage',
      withTime: true,
    },
    { says: /API Error:.*\b529\b|overloaded/i, limit: 'overload' },
    { says: /\(429\)|API Error: 429\b|"errorKind":"rate_limit"/i, limit: 'rate' },
  ],
  reports: ['cost', 'tokens', 'context'],
  signIn: 'set ANTHROPIC_API_KEY, or run `claude` and type /login',
  credentials: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN'],
};
