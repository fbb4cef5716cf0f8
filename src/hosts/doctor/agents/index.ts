import type { AgentName } from '../../host.ts';
import type { HeadlessAgent } from '../headless.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { qwen } from './qwen.ts';

/** A text: why it cannot be run against a model of ours. */
export const headlessAgents: Readonly<Record<AgentName, HeadlessAgent | string>> = {
  claude,
  codex,
  gemini,
  qwen,
  opencode,
  cursor: 'Cursor works only with its own servers',
  copilot: 'Copilot CLI works only with its own servers',
};
