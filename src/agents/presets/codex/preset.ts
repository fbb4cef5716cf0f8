import type { Preset } from '../preset.ts';

export const codex: Preset = {
  program: 'codex-acp',
  package: '@agentclientprotocol/codex-acp@2.6.0',
  args: [],
  // It may write inside the project; gates say no, through its own hooks. Its default has a model decide what else it
  // may do. In its read-only mode a command that writes fails in its sandbox, and neither asks nor tells any hook.
  env: { INITIAL_AGENT_MODE: 'workspace-write' },
  mcpAsExecute: true,
  /**
   * Codex answers with an error where its plan is used up (`codexErrorInfo`), and else with the sentence as its
   * message.
   */
  limits: [
    { says: /You've hit your usage limit/i, limit: 'usage' },
    // It says the same of an account without money.
    { says: /usageLimitExceeded|Quota exceeded\. Check your plan/i, limit: 'usage', withTime: true },
    { says: /last status: 429|\b429 Too Many Requests|Rate limit reached/i, limit: 'rate' },
    {
      says: /serverOverloaded|\bat capacity\b|experiencing high demand|\b503 Service Unavailable|\b529\b/i,
      limit: 'overload',
    },
  ],
  reports: ['tokens', 'context'],
  signIn: 'set OPENAI_API_KEY, or run `codex login`',
  credentials: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'OPENAI_BASE_URL', 'CODEX_HOME', 'CODEX_CONFIG'],
};
