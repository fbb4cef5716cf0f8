import { findPlaces } from '../hooks/discovery/load.ts';
import { type AgentReport, hasEntries } from '../hosts/doctor/agent-report.ts';
import { examine, presentAgents } from '../hosts/doctor/examine.ts';
import type { AgentName } from '../hosts/index.ts';
import { launcherPath } from '../hosts/install/installed-files.ts';
import { hostSettings } from '../hosts/settings-table.ts';
import type { Problem } from '../model/index.ts';
import { stateFolder } from '../platform/folders.ts';
import type { Where } from './context.ts';
import { loadAllHooks } from './list.ts';
import { httpWay } from './serve-address.ts';
import { trustState } from './trust.ts';

export interface Diagnosis {
  kind: 'diagnosis';
  agents: readonly AgentReport[];
  /** How the project's own hooks stand with `hookloop trust`, which decides whether agents may run them. */
  project: { trust: ReturnType<typeof trustState>; fix?: string };
  /** Of hook files. */
  problems: readonly Problem[];
  /** Nothing that could be tried has failed, and what is installed may run the hooks of the project. */
  isSound: boolean;
  /** The programs that were looked for. */
  programs: readonly string[];
}

export interface DoctorContext extends Where {
  /** The file of this program that was started. */
  program: string;
  signal: AbortSignal;
  onAgent(agent: AgentName): void;
}

/** More than any agent needs for two commands. */
const limitMs = 30_000;

/** Tries one agent, or all that are here, one after another: each measures how long a hook takes. */
export async function diagnose(
  named: AgentName | undefined,
  { cwd, env, program, signal, onAgent }: DoctorContext,
): Promise<Diagnosis | { kind: 'failed'; reason: string }> {
  const { root, home } = findPlaces(cwd, env);
  const state = stateFolder(env);
  const launcher = state === undefined ? program : launcherPath(state);
  const user = { root, home, env };
  const examination = { user, cwd, launcher, http: httpWay(state), ownFile: program, limitMs, signal };
  const agents: AgentReport[] = [];
  for (const agent of named ? [named] : presentAgents(examination)) {
    if (signal.aborted) break;
    onAgent(agent);
    try {
      agents.push(await examine(agent, examination));
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      return { kind: 'failed', reason: `${agent} cannot be tried: ${reason}` };
    }
  }
  const trust = trustState({ cwd, env });
  return {
    kind: 'diagnosis',
    agents,
    project: { trust, ...(trust === 'untrusted' && { fix: 'hookloop trust' }) },
    problems: loadAllHooks({ cwd, env }).problems,
    isSound: agents.every(isSound) && !(trust === 'untrusted' && agents.some(hasEntries)),
    programs: Object.values(hostSettings).map(one => one.program),
  };
}

const isSound = (report: AgentReport): boolean =>
  report.program === null ||
  !hasEntries(report) ||
  (report.fires !== false && report.blocks !== false && report.findings.every(({ severity }) => severity !== 'error'));
