import { accessSync, constants, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findProgram, type ProgramSearch } from '../../agents/command-line.ts';
import { presets } from '../../agents/presets.ts';
import type { AgentName } from '../index.ts';
import { foldersAbove } from '../settings-files.ts';
import { hostSettings } from '../settings-table.ts';
import type { Finding } from './report.ts';

export function findHeadless(agent: AgentName, paths: ProgramSearch): string | undefined {
  const { program, broughtAlong } = hostSettings[agent];
  const found = findProgram(program, paths);
  const acp = found === undefined && broughtAlong ? findProgram(presets[agent]!.program, paths) : undefined;
  return acp === undefined ? found : besideAcp(acp, broughtAlong!);
}

/** What `hookloop run` starts is another program for some agents. */
export function acpFindings(agent: AgentName, paths: ProgramSearch): Finding[] {
  const preset = Object.hasOwn(presets, agent) ? presets[agent]! : undefined;
  if (!preset) return [];
  if (findProgram(preset.program, paths) !== undefined)
    return preset.unasked === undefined ? [] : [late(agent, preset.unasked)];
  const message = `hookloop run --agent ${agent} needs ${preset.program}, which is not there`;
  return [{ severity: 'note', message, fix: `npm install -g ${preset.package}` }];
}

const late = (agent: AgentName, unasked: string): Finding => ({
  severity: 'note',
  message: `in hookloop run ${agent} asks no one about ${unasked}: a hook that refuses one is heard after it ran, and the turn is cancelled`,
});

function besideAcp(acp: string, names: readonly string[]): string | undefined {
  const folders = foldersAbove(dirname(realpathSync(acp)));
  return folders.flatMap(folder => names.map(name => join(folder, 'node_modules', name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
