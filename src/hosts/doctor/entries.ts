import type { HostConfig, InstallPlaces, InstallScope } from '../config.ts';
import { configs } from '../configs.ts';
import type { AgentName } from '../host.ts';
import { hosts } from '../index.ts';
import { ownEntries } from '../install/entries.ts';
import { planChange } from '../install/index.ts';
import { quoted } from '../install/launcher.ts';
import { readFile } from '../install/read-file.ts';
import { openRecords } from '../install/records.ts';
import { ownTables } from '../install/toml-text.ts';
import type { HttpWay } from './http-way.ts';
import { ownCalls } from './own-hooks.ts';
import type { EntryFile } from './report.ts';
import { readSettings } from './settings.ts';

const scopes: readonly InstallScope[] = ['project', 'shared', 'user'];

/** The files that can hold our entries, and whether they do. `launcher`: what entries of this checkout call. */
export function entryFiles(
  agent: AgentName,
  places: InstallPlaces,
  launcher: string,
  http: Pick<HttpWay, 'port' | 'variable'>,
): EntryFile[] {
  const found = new Map<string, EntryFile>();
  for (const scope of scopes) {
    const next = lookAt(agent, scope, places, scope === 'shared' ? 'hookloop' : launcher, http);
    const known = found.get(next.file);
    const better = known && known.state !== 'old' && known.state !== 'none' ? known : next;
    found.set(next.file, { ...better, scopes: [...(known?.scopes ?? []), scope] });
  }
  return [...found.values()];
}

/** The event that can keep an agent from using a tool, in its own words. */
export const toolEvent = (agent: AgentName): string =>
  Object.entries(hosts[agent].events).find(([, { fires }]) => fires.includes('tool.calling'))![0];

/** What the agent does before it uses a tool: the first entry of ours. Commands are lines for `sh`. */
export type Installed = { kind: 'command'; command: string } | { kind: 'http'; url: string; start: string };

export function installedEntry(agent: AgentName, files: readonly EntryFile[]): Installed | undefined {
  const native = toolEvent(agent);
  const own = files.filter(({ state }) => state === 'current' || state === 'old');
  for (const { file, http } of own) {
    const call = callIn(file, configs[agent], native);
    if (call === undefined) continue;
    return http
      ? { kind: 'http', url: call, start: startIn(file, configs[agent]) }
      : { kind: 'command', command: call };
  }
  return undefined;
}

function lookAt(
  agent: AgentName,
  scope: InstallScope,
  places: InstallPlaces,
  program: string,
  { port, variable }: Pick<HttpWay, 'port' | 'variable'>,
): EntryFile {
  const config = configs[agent];
  const calls = typeof config.http === 'object' && scope === 'project' ? config.http : undefined;
  const isHttp = calls !== undefined && isUrl(callIn(config.file(scope, places), config, toolEvent(agent)));
  const wanted = { host: hosts[agent], config, scope, places, program };
  const http = isHttp ? { http: { calls, port, variable } } : {};
  const planned = planChange('install', { ...wanted, ...http }, openRecords(undefined));
  const { file } = planned;
  const mark = isHttp ? { http: true as const } : {};
  if (planned.kind === 'same') return { file, scopes: [], state: 'current', ...mark };
  if (planned.kind === 'problem') return { file, scopes: [], state: 'unreadable', why: planned.problem.message };
  if (planned.kind === 'refused') return { file, scopes: [], state: 'unreadable', why: planned.why };
  return { file, scopes: [], state: holdsOwn(config, file, planned.before ?? '') ? 'old' : 'none', ...mark };
}

function holdsOwn({ holds }: HostConfig, file: string, text: string): boolean {
  if (holds.kind === 'code') return text.startsWith(holds.firstLine);
  return file.endsWith('.toml') ? ownTables(text) !== undefined : ownEntries(text.replace(/^\ufeff/, '')).length > 0;
}

const isUrl = (call: string | undefined): boolean => call?.startsWith('http://') === true;

/** The command that starts serve where it does not run. */
const startIn = (file: string, { http }: HostConfig): string =>
  (typeof http === 'object' ? ownCalls(readSettings(file), http.first)[0] : undefined) ?? 'true';

function callIn(file: string, { name, holds }: HostConfig, native: string): string | undefined {
  if (holds.kind === 'json') return ownCalls(readSettings(file), native)[0];
  const found = readFile(file, undefined);
  const program = found.kind === 'text' ? /^const program = (".*");$/m.exec(found.text)?.[1] : undefined;
  return program === undefined ? undefined : `${quoted(JSON.parse(program) as string)} hook ${name} ${native}`;
}
