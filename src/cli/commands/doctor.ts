import { realpathSync } from 'node:fs';
import { loadAllHooks } from '../../app/list.ts';
import { nearest } from '../../config/nearest.ts';
import { dialects } from '../../dialects/index.ts';
import { createLook } from '../../hooks/discovery/look.ts';
import { findPlaces } from '../../hooks/discovery/roots.ts';
import { createMask } from '../../hooks/secrets/mask.ts';
import { type Examination, examine, presentAgents } from '../../hosts/doctor/examine.ts';
import { type AgentReport, hasEntries } from '../../hosts/doctor/report.ts';
import { type AgentName, agentNames } from '../../hosts/index.ts';
import { launcherPath } from '../../hosts/install/launcher.ts';
import { stateFolder } from '../../platform/folders.ts';
import { withHint } from '../arguments.ts';
import { type Command, UsageError } from '../command.ts';
import { type ProjectTrust, projectTrust } from '../doctor-project.ts';
import { doctorText, nobodyText } from '../doctor-text.ts';
import { exit } from '../exit.ts';
import { httpWay } from '../http-way.ts';
import { type Io, WorldError } from '../io.ts';
import { problemNote } from '../print/check.ts';
import { createColours } from '../print/paint.ts';
import { watchSignals } from '../signals.ts';

/** More than any agent needs for two commands. */
const limitMs = 30_000;

export const doctor: Command = {
  name: 'doctor',
  summary: 'Prove, agent by agent, that hooks fire and that a refusal blocks; say what to do where not',
  arguments: ['[AGENT]'],
  options: {},
  example: 'hookloop doctor claude',
  async run({ positionals: [name], flags }, io) {
    const named = name === undefined ? undefined : knownAgent(name);
    const interruption = watchSignals();
    const examination = examinationOf(io, interruption.signal);
    const agents = named ? [named] : presentAgents(examination);
    const reports = await examineAll(agents, examination, io);
    const stopped = interruption.exitCode();
    if (stopped !== undefined) return stopped;
    const project = projectTrust(io);
    if (flags.has('json')) io.out(`${JSON.stringify(toJson(reports, project), null, 2)}\n`);
    else if (reports.length === 0) io.out(nobodyText());
    else {
      const { color } = io.terminal('out');
      io.out(doctorText(reports, project, createColours(color && !flags.has('no-color'))));
    }
    io.err(createMask(io.env)(problemNote(loadAllHooks(io).problems)));
    return reports.every(isSound) ? exit.done : exit.failed;
  },
};

function knownAgent(name: string): AgentName {
  const known = agentNames.find(agent => agent === name);
  if (known) return known;
  const near = nearest(name, agentNames);
  const hint = near === undefined ? `known: ${agentNames.join(', ')}` : `did you mean ${near}?`;
  throw new UsageError(withHint(`unknown agent ${name}`, hint));
}

function examinationOf(io: Io, signal: AbortSignal): Examination {
  const { root, home } = findPlaces(io.cwd, io.env, dialects, createLook());
  const state = stateFolder(io.env);
  const ownFile = realpathSync(process.argv[1] ?? process.execPath);
  const launcher = state === undefined ? ownFile : launcherPath(state);
  return { user: { root, home, env: io.env }, cwd: io.cwd, launcher, http: httpWay(state), ownFile, limitMs, signal };
}

/** One after another: each measures how long a hook takes. */
async function examineAll(agents: readonly AgentName[], examination: Examination, io: Io): Promise<AgentReport[]> {
  const reports: AgentReport[] = [];
  const isWatched = io.terminal('err').columns !== undefined;
  for (const agent of agents) {
    if (examination.signal.aborted) break;
    if (isWatched) io.err(`hookloop doctor: ${agent} ...\n`);
    try {
      reports.push(await examine(agent, examination));
    } catch (error) {
      throw new WorldError(`${agent} cannot be tried: ${error instanceof Error ? error.message : error}`);
    }
  }
  return reports;
}

/** Nothing that could be tried has failed. */
const isSound = (report: AgentReport): boolean =>
  report.program === null ||
  !hasEntries(report) ||
  (report.fires !== false && report.blocks !== false && report.findings.every(({ severity }) => severity !== 'error'));

/** A contract with scripts. */
const toJson = (reports: readonly AgentReport[], project: ProjectTrust) => ({
  agents: reports.map(({ agent, version, fires, blocks, trust, latencyMs, findings, program, files }) => ({
    ...{ agent, version, fires, blocks, trust, latencyMs, findings, program, files },
  })),
  project,
});
