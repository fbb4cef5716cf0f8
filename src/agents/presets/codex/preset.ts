import type { Preset } from '../preset.ts';
import { codexLimits } from './limits.ts';

export const codex: Preset = {
  program: 'codex-acp',
  package: '@agentclientprotocol/codex-acp@2.6.0',
  args: [],
  // It may write inside the project; gates say no, through its own hooks. Its default has a model decide what else it
  // may do. In its read-only mode a command that writes fails in its sandbox, and neither asks nor tells any hook.
  env: { INITIAL_AGENT_MODE: 'workspace-write' },
  mcpAsExecute: true,
  limits: codexLimits,
  reports: ['tokens', 'context'],
  signIn: 'set OPENAI_API_KEY, or run `codex login`',
  credentials: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'OPENAI_BASE_URL', 'CODEX_HOME', 'CODEX_CONFIG'],
};
