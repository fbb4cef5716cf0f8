import { dirname, join } from 'node:path';
import { presetNames } from '../agents/index.ts';
import { findPlaces } from '../hooks/discovery/load.ts';
import type { Finding } from '../hosts/doctor/agent-report.ts';
import { type HttpWay, portFinding } from '../hosts/doctor/http-way.ts';
import type { InstallScope } from '../hosts/host.ts';
import { type AgentName, agentNames } from '../hosts/index.ts';
import { calledElsewhere, type Doing, type Elsewhere, type Planned, planChange } from '../hosts/install/install.ts';
import { openRecords } from '../hosts/install/install-records.ts';
import { isCommittable, launcherPath, removeLauncher, writeLauncher } from '../hosts/install/installed-files.ts';
import type { HttpCalls } from '../hosts/settings.ts';
import { hostSettings } from '../hosts/settings-table.ts';
import type { Problem } from '../model/index.ts';
import { given } from '../model/json.ts';
import { didYouMean } from '../model/nearest.ts';
import { stateFolder, whyUnusable } from '../platform/folders.ts';
import type { Where } from './context.ts';
import { httpWay, keepPort } from './serve-address.ts';
import { trustState } from './trust.ts';

export interface InstallRequest {
  doing: Doing;
  agent: AgentName;
  scope: InstallScope;
  /** Calls around tools go straight to serve. */
  http: boolean;
  /** Only says what would change. */
  isDry: boolean;
}

export interface InstallContext extends Where {
  /** The file of this program that was started. */
  program: string;
  launcherText(state: string): string;
}

/** Entries that name a port of serve. */
export interface HttpEntries {
  /** The agent's event that starts serve where it does not run. */
  first: string;
  port: number;
  variable: string;
  tokenFile: string;
}

export interface Installed {
  kind: 'done';
  file: string;
  root: string;
  /** The file's text; without a change both are absent. */
  change?: { before: string | undefined; after: string | undefined };
  /** After our entries were taken out: other files that hold some. */
  elsewhere?: readonly Elsewhere[];
  http?: HttpEntries;
  /** Hooks of the project do not run there before they are trusted. */
  isTrustPending: boolean;
  /** It has a path of this machine, and git would commit it. */
  isCommittable: boolean;
  /** Why calls to the port come to someone else. */
  portFinding?: Finding;
}

export type NotInstalled =
  /** Calls of this agent cannot go to serve. */
  | { kind: 'no-http'; why: string | undefined }
  /** They can, but only for one checkout. */
  | { kind: 'http-elsewhere' }
  | { kind: 'problem'; file: string; root: string; problem: Problem }
  | { kind: 'refused'; file: string; root: string; why: string }
  /** The system said no. */
  | { kind: 'failed'; reason: string };

/** Puts our entries into a file of an agent, or takes them out. */
export async function changeEntries(
  request: InstallRequest,
  context: InstallContext,
): Promise<Installed | NotInstalled> {
  const { doing, agent, scope, isDry } = request;
  const { cwd, env, program: own } = context;
  const state = stateFolder(env);
  const way = httpWay(state);
  const calls = request.http ? httpCalls(agent, scope, state) : undefined;
  if (calls && 'kind' in calls) return calls;
  const http = calls && httpEntries(calls, way);
  const { root, home } = findPlaces(cwd, env);
  const program = scope === 'shared' ? 'hookloop' : state === undefined ? own : launcherPath(state);
  const wanted = {
    ...{ agent, scope, folders: { root, home, env }, program },
    ...(calls && http && { http: { calls, port: http.port, variable: http.variable } }),
  };
  const records = openRecords(state === undefined ? undefined : join(state, 'installs'));
  let planned: Planned | undefined;
  try {
    planned = planChange(doing, wanted, records);
    if (planned.kind === 'problem' || planned.kind === 'refused') return { ...planned, root };
    if (!isDry) {
      if (http && state !== undefined) keepPort(state, http.port);
      if (doing === 'install' && state !== undefined && scope !== 'shared')
        writeLauncher(state, context.launcherText(state));
      planned.apply?.();
      if (doing === 'uninstall' && state !== undefined && records.isEmpty()) removeLauncher(state);
    }
  } catch (error) {
    // A path that cannot be looked at is no bug: something else may stand where the agent's folder should be.
    if (planned === undefined && (error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return { kind: 'failed', reason: `${planned ? `${planned.file}: ` : ''}${inWords(error)}` };
  }
  const { file } = planned;
  const isInstall = doing === 'install';
  const found = http && isInstall ? await portFinding(agent, { ...way, port: http.port }) : undefined;
  return given({
    ...{ kind: 'done' as const, file, root, http, portFinding: found },
    change: planned.kind === 'change' ? { before: planned.before, after: planned.after } : undefined,
    elsewhere: isInstall ? undefined : calledElsewhere(wanted),
    isTrustPending: isInstall && scope !== 'user' && trustState(context) === 'untrusted',
    isCommittable: isInstall && scope === 'project' && (await isCommittable(file, root, env)),
  });
}

function httpCalls(agent: AgentName, scope: InstallScope, state: string | undefined): HttpCalls | NotInstalled {
  const calls = hostSettings[agent].http;
  if (typeof calls !== 'object') return { kind: 'no-http', why: calls };
  if (scope !== 'project') return { kind: 'http-elsewhere' };
  if (state === undefined) return { kind: 'failed', reason: 'HOME is not set, so there is no place for the token' };
  return calls;
}

/** Where serve is now counts before where it shall be. */
const httpEntries = ({ first }: HttpCalls, { url, port, variable, tokenFile }: HttpWay): HttpEntries => ({
  ...{ first, variable, tokenFile },
  port: url === undefined ? port : Number(new URL(url).port),
});

/** Where a folder is missing the system tells only what it was asked for. */
function inWords(error: unknown): string {
  const { path, message } = error as NodeJS.ErrnoException;
  const why = path === undefined ? undefined : whyUnusable(dirname(path), true);
  return why === undefined ? message : `${why}, so there can be no ${path}`;
}

/** The agent that a person means, or what they may have meant. */
export function agentNamed(name: string): { agent: AgentName } | { hint: string } {
  const agent = agentNames.find(known => known === name);
  return agent ? { agent } : { hint: didYouMean(name, agentNames) ?? `known: ${agentNames.join(', ')}` };
}

/** The names of agents: those whose own hooks can call us, and those that `hookloop run` starts. */
export const knownAgents: { hosts: readonly string[]; run: readonly string[] } = {
  hosts: agentNames,
  run: presetNames,
};
