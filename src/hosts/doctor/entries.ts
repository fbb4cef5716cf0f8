import { quoted } from '../../model/own-entry.ts';
import { type AgentFolders, type InstallScope, installScopes, settingsFile } from '../host.ts';
import { type AgentName, hosts } from '../index.ts';
import { planChange } from '../install/install.ts';
import { openRecords } from '../install/install-records.ts';
import { readFile } from '../install/installed-files.ts';
import { ownCalls, readSettings } from '../settings-files.ts';
import { hostSettings } from '../settings-table.ts';
import { type EntryFile, type Finding, finding, hasEntries, isOurs } from './agent-report.ts';
import type { HttpWay } from './http-way.ts';

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

function lookAt(
  agent: AgentName,
  scope: InstallScope,
  folders: AgentFolders,
  program: string,
  { port, variable }: Pick<HttpWay, 'port' | 'variable'>,
): EntryFile {
  const { http } = hostSettings[agent];
  const calls = typeof http === 'object' && scope === 'project' ? http : undefined;
  const isHttp = calls && callIn(agent, settingsFile(hosts[agent], scope, folders))?.startsWith('http://');
  const wanted = { agent, scope, folders, program, ...(isHttp && { http: { calls, port, variable } }) };
  const planned = planChange('install', wanted, openRecords(undefined));
  const about = { file: planned.file, scopes: [], ...(isHttp && { http: true as const }) };
  if (planned.kind === 'same') return { ...about, state: 'current' };
  if (planned.kind === 'change') return { ...about, state: planned.hadOwn ? 'old' : 'none' };
  return { ...about, state: 'unreadable', why: planned.kind === 'problem' ? planned.problem.message : planned.why };
}

/** The event that can keep an agent from using a tool, in its own words. */
export const toolEvent = (agent: AgentName): string =>
  Object.entries(hosts[agent].events).find(([, { fires }]) => fires.includes('tool.calling'))![0];

/** What the agent does before it uses a tool: a line for `sh`, or an address, with the line that starts serve. */
export interface Installed {
  call: string;
  start?: string;
}

/** The first entry of ours. */
export function installedEntry(agent: AgentName, files: readonly EntryFile[]): Installed | undefined {
  for (const { file, http } of files.filter(isOurs)) {
    const call = callIn(agent, file);
    if (call !== undefined) return { call, ...(http && { start: startIn(agent, file) }) };
  }
  return undefined;
}

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
  const wrong = files.flatMap(({ file, scopes, state, why, http }) => {
    if (state === 'unreadable') return [finding('warning', `${file} cannot be used: ${why}`, `fix ${file}`)];
    if (state !== 'old') return [];
    const message = `the entries in ${file} are not those that this version of Hookloop writes`;
    const options = `${optionOf[scopes[0] ?? 'project']}${http ? ' --http' : ''}`;
    return [finding('warning', message, `hookloop install ${agent}${options}`)];
  });
  if (hasEntries({ files })) return wrong;
  return [...wrong, finding('note', `${agent} does not call Hookloop here`, `hookloop install ${agent}`)];
}

const optionOf: Readonly<Record<InstallScope, string>> = { project: '', shared: ' --shared', user: ' --user' };
