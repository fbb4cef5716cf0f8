import { claude } from './claude/host.ts';
import { codex } from './codex/host.ts';
import { copilot } from './copilot/host.ts';
import { cursor } from './cursor/host.ts';
import { gemini } from './gemini/host.ts';
import type { Host } from './host.ts';
import { opencode } from './opencode/host.ts';
import { qwen } from './qwen/host.ts';

/** An agent whose own hooks can call us. */
export type AgentName = keyof typeof table;

const table = { claude, codex, gemini, qwen, cursor, copilot, opencode };

export const hosts: Readonly<Record<AgentName, Host>> = table;

export const agentNames = Object.keys(table) as AgentName[];

export const agentNamed = (name: string): AgentName | undefined => agentNames.find(known => known === name);
