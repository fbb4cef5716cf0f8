import { accessSync, constants, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findProgram, type ProgramSearch } from '../../agents/command-line.ts';
import { presets } from '../../agents/presets.ts';
import type { AgentName } from '../host.ts';
import type { Finding } from './report.ts';

/** What runs each agent without a terminal. */
export const programNames: Readonly<Record<AgentName, string>> = {
  claude: 'claude',
  codex: 'codex',
  gemini: 'gemini',
  qwen: 'qwen',
  opencode: 'opencode',
  cursor: 'cursor-agent',
  copilot: 'copilot',
};

export function findHeadless(agent: AgentName, places: ProgramSearch): string | undefined {
  const found = findProgram(programNames[agent], places);
  const others = besideAcp[agent];
  const acp = found === undefined && others ? findProgram(presets[agent]!.program, places) : undefined;
  return acp === undefined ? found : broughtAlong(acp, others!);
}

const system = `${process.platform}-${process.arch}`;

/** What the program for ACP brings along, in `node_modules`. */
const besideAcp: Readonly<Partial<Record<AgentName, readonly string[]>>> = {
  claude: [system, `${system}-musl`].map(name => `@anthropic-ai/claude-agent-sdk-${name}/claude`),
};

/** What `hookloop run` starts is another program for some agents. */
export function acpFindings(agent: AgentName, places: ProgramSearch): Finding[] {
  const preset = Object.hasOwn(presets, agent) ? presets[agent]! : undefined;
  if (!preset) return [];
  if (findProgram(preset.program, places) !== undefined)
    return preset.unasked === undefined ? [] : [late(agent, preset.unasked)];
  const message = `hookloop run --agent ${agent} needs ${preset.program}, which is not there`;
  return [{ severity: 'note', message, fix: `npm install -g ${preset.package}` }];
}

const late = (agent: AgentName, unasked: string): Finding => ({
  severity: 'note',
  message: `in hookloop run ${agent} asks no one about ${unasked}: a hook that refuses one is heard after it ran, and the turn is cancelled`,
});

function broughtAlong(acp: string, names: readonly string[]): string | undefined {
  const folders = foldersAbove(dirname(realpathSync(acp)));
  return folders.flatMap(folder => names.map(name => join(folder, 'node_modules', name))).find(isProgram);
}

const foldersAbove = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...foldersAbove(dirname(folder))];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
