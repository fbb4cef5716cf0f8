import type { HostConfig, InstallPlaces, InstallScope } from '../hosts/config.ts';
import { configs } from '../hosts/configs.ts';
import type { AgentName } from '../hosts/host.ts';
import { hosts } from '../hosts/index.ts';
import { ownEntries } from '../hosts/install/entries.ts';
import { planChange } from '../hosts/install/index.ts';
import { quoted } from '../hosts/install/launcher.ts';
import { readFile } from '../hosts/install/read-file.ts';
import { openRecords } from '../hosts/install/records.ts';
import { ownTables } from '../hosts/install/toml-text.ts';
import { ownCommands } from './own-hooks.ts';
import type { EntryFile } from './report.ts';
import { readSettings } from './settings.ts';

const scopes: readonly InstallScope[] = ['project', 'shared', 'user'];

/** The files that can hold our entries, and whether they do. `launcher`: what entries of this checkout call. */
export function entryFiles(agent: AgentName, places: InstallPlaces, launcher: string): EntryFile[] {
  const found = new Map<string, EntryFile>();
  for (const scope of scopes) {
    const next = lookAt(agent, scope, places, scope === 'shared' ? 'hookloop' : launcher);
    const known = found.get(next.file);
    const better = known && known.state !== 'old' && known.state !== 'none' ? known : next;
    found.set(next.file, { ...better, scopes: [...(known?.scopes ?? []), scope] });
  }
  return [...found.values()];
}

/** The event that can keep an agent from using a tool, in its own words. */
export const toolEvent = (agent: AgentName): string =>
  Object.entries(hosts[agent].events).find(([, { fires }]) => fires.includes('tool.calling'))![0];

/** What the agent runs before it uses a tool: the first entry of ours, as a line for `sh`. */
export function installedCommand(agent: AgentName, files: readonly EntryFile[]): string | undefined {
  const native = toolEvent(agent);
  return files
    .filter(({ state }) => state === 'current' || state === 'old')
    .map(({ file }) => commandIn(file, configs[agent], native))
    .find(command => command !== undefined);
}

function lookAt(agent: AgentName, scope: InstallScope, places: InstallPlaces, program: string): EntryFile {
  const config = configs[agent];
  const planned = planChange('install', { host: hosts[agent], config, scope, places, program }, openRecords(undefined));
  const { file } = planned;
  if (planned.kind === 'same') return { file, scopes: [], state: 'current' };
  if (planned.kind === 'problem') return { file, scopes: [], state: 'unreadable', why: planned.problem.message };
  if (planned.kind === 'refused') return { file, scopes: [], state: 'unreadable', why: planned.why };
  return { file, scopes: [], state: holdsOwn(config, file, planned.before ?? '') ? 'old' : 'none' };
}

function holdsOwn({ holds }: HostConfig, file: string, text: string): boolean {
  if (holds.kind === 'code') return text.startsWith(holds.firstLine);
  return file.endsWith('.toml') ? ownTables(text) !== undefined : ownEntries(text.replace(/^\ufeff/, '')).length > 0;
}

function commandIn(file: string, { name, holds }: HostConfig, native: string): string | undefined {
  if (holds.kind === 'json') return ownCommands(readSettings(file), native)[0];
  const found = readFile(file, undefined);
  const program = found.kind === 'text' ? /^const program = (".*");$/m.exec(found.text)?.[1] : undefined;
  return program === undefined ? undefined : `${quoted(JSON.parse(program) as string)} hook ${name} ${native}`;
}
