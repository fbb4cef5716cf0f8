import { config as claude } from './claude/config.ts';
import { config as codex } from './codex/config.ts';
import type { HostConfig } from './config.ts';
import { config as copilot } from './copilot/config.ts';
import { config as cursor } from './cursor/config.ts';
import { config as gemini } from './gemini/config.ts';
import type { AgentName } from './host.ts';
import { config as opencode } from './opencode/config.ts';
import { config as qwen } from './qwen/config.ts';

export const configs: Readonly<Record<AgentName, HostConfig>> = {
  claude,
  codex,
  gemini,
  qwen,
  cursor,
  copilot,
  opencode,
};
