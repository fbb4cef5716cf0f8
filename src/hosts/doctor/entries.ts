import { quoted } from '../../model/own-entry.ts';
import { type AgentFolders, type InstallScope, installScopes } from '../host.ts';
import { type AgentName, hosts } from '../index.ts';
import { readFile } from '../install/files.ts';
import { planChange } from '../install/install.ts';
import { ownEntries } from '../install/json-entries.ts';
import { openRecords } from '../install/records.ts';
import { ownTables } from '../install/toml-entries.ts';
import { ownCalls, readSettings } from '../settings-files.ts';
import { hostSettings } from '../settings-table.ts';
import type { HttpWay } from './http-way.ts';
import { type EntryFile, type Finding, hasEntries } from './report.ts';

/** The files that can hold our entries, and whether they do. `launcher`: what entries of this checkout call. */
export function entryFiles(
  agent: AgentName,
  folders: AgentFolders,
  launcher: string,
  http: Pick<HttpWay, 'port' | 'variable'>,
): EntryFile[] {
  const found = new Map<string, EntryFile>();
  for (const scope of installScopes) {
    const next = lookAt(agent, scope, folders, scope === 'shared' ? 'hookloop' : launcher, http);
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
  const own = files.filter(({ state }) => state === 'current' || state === 'old');
  for (const { file, http } of own) {
    const call = callIn(agent, file);
    if (call === undefined) continue;
    return http ? { kind: 'http', url: call, start: startIn(agent, file) } : { kind: 'command', command: call };
  }
  return undefined;
}

function lookAt(
  agent: AgentName,
  scope: InstallScope,
  folders: AgentFolders,
  program: string,
  { port, variable }: Pick<HttpWay, 'port' | 'variable'>,
): EntryFile {
  const { http } = hostSettings[agent];
  const calls = typeof http === 'object' && scope === 'project' ? http : undefined;
  const isHttp =
    calls !== undefined && callIn(agent, hosts[agent].file(scope, folders))?.startsWith('http://') === true;
  const wanted = { agent, scope, folders, program, ...(isHttp && { http: { calls, port, variable } }) };
  const planned = planChange('install', wanted, openRecords(undefined));
  const { file } = planned;
  const mark = isHttp ? { http: true as const } : {};
  if (planned.kind === 'same') return { file, scopes: [], state: 'current', ...mark };
  if (planned.kind === 'problem') return { file, scopes: [], state: 'unreadable', why: planned.problem.message };
  if (planned.kind === 'refused') return { file, scopes: [], state: 'unreadable', why: planned.why };
  return { file, scopes: [], state: holdsOwn(agent, file, planned.before ?? '') ? 'old' : 'none', ...mark };
}

function holdsOwn(agent: AgentName, file: string, text: string): boolean {
  const { holds } = hostSettings[agent];
  if (holds.kind === 'code') return text.startsWith(holds.firstLine);
  return file.endsWith('.toml') ? ownTables(text) !== undefined : ownEntries(text.replace(/^\ufeff/, '')).length > 0;
}

/** The command that starts serve where it does not run. */
function startIn(agent: AgentName, file: string): string {
  const { http } = hostSettings[agent];
  return (typeof http === 'object' ? ownCalls(readSettings(file), http.first)[0] : undefined) ?? 'true';
}

function callIn(agent: AgentName, file: string): string | undefined {
  const native = toolEvent(agent);
  if (hostSettings[agent].holds.kind === 'json') return ownCalls(readSettings(file), native)[0];
  const found = readFile(file, undefined);
  const program = found.kind === 'text' ? /^const program = (".*");$/m.exec(found.text)?.[1] : undefined;
  return program === undefined ? undefined : `${quoted(JSON.parse(program) as string)} hook ${agent} ${native}`;
}

/** What is wrong with the files that hold our entries, or could. */
export function fileFindings(agent: AgentName, files: readonly EntryFile[]): Finding[] {
  const wrong = files.flatMap(file => findingOf(agent, file));
  if (hasEntries({ files })) return wrong;
  const none: Finding = {
    severity: 'note',
    message: `${agent} does not call Hookloop here`,
    fix: `hookloop install ${agent}`,
  };
  return [...wrong, none];
}

function findingOf(agent: AgentName, { file, scopes, state, why, http }: EntryFile): Finding[] {
  if (state === 'unreadable')
    return [
      { severity: 'warning', message: `${file} cannot be used: ${why ?? 'nobody can read it'}`, fix: `mend ${file}` },
    ];
  if (state !== 'old') return [];
  return [
    {
      severity: 'warning',
      message: `the entries in ${file} are not those that this version of Hookloop writes`,
      fix: `hookloop install ${agent}${optionOf[scopes[0] ?? 'project']}${http ? ' --http' : ''}`,
    },
  ];
}

const optionOf: Readonly<Record<InstallScope, string>> = { project: '', shared: ' --shared', user: ' --user' };
