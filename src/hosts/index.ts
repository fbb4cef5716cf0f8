import { claude } from './claude/index.ts';
import { codex } from './codex/index.ts';
import { copilot } from './copilot/index.ts';
import { cursor } from './cursor/index.ts';
import { gemini } from './gemini/index.ts';
import type { AgentName, Host } from './host.ts';
import { opencode } from './opencode/index.ts';
import { qwen } from './qwen/index.ts';

export const hosts: Readonly<Record<AgentName, Host>> = { claude, codex, gemini, qwen, cursor, copilot, opencode };
