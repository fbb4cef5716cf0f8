import { settings as claude } from './claude/settings.ts';
import { settings as codex } from './codex/settings.ts';
import { settings as copilot } from './copilot/settings.ts';
import { settings as cursor } from './cursor/settings.ts';
import { settings as gemini } from './gemini/settings.ts';
import type { AgentName } from './index.ts';
import { settings as opencode } from './opencode/settings.ts';
import { settings as qwen } from './qwen/settings.ts';
import type { HostSettings } from './settings.ts';

/** Apart from the table of hosts: no call of an agent needs this half. */
export const hostSettings: Readonly<Record<AgentName, HostSettings>> = {
  claude,
  codex,
  gemini,
  qwen,
  opencode,
  cursor,
  copilot,
};
