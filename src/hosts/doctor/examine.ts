import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findProgram, type ProgramSearch } from '../../agents/command-line.ts';
import { presets } from '../../agents/presets.ts';
import { isExecutable } from '../../platform/files.ts';
import { withFoldersAbove } from '../../platform/folders.ts';
import { type AgentName, agentNames } from '../index.ts';
import { hostSettings } from '../settings-table.ts';
import { type AgentReport, type Finding, finding, hasEntries, isOurs } from './agent-report.ts';
import { entryFiles, fileFindings, installedEntry } from './entries.ts';
import { type HttpWay, httpFindings, serveForSandbox } from './http-way.ts';
import { type Probed, probeEntry } from './probe.ts';
import { type Proof, prove } from './prove.ts';
import { createSandbox, type Sandbox, type SandboxLimits } from './sandbox.ts';

/** With the limits for one agent, whatever it does. */
export interface Examination extends SandboxLimits {
  cwd: string;
  /** What entries for this checkout and this user call. */
  launcher: string;
  /** Where calls over HTTP go. */
  http: HttpWay;
  /** A file of this program. */
  ownFile: string;
}

/**
 * Finds out what an agent does with our hooks. Contract: throws file errors; nothing of it is left in the user's folders,
 * and nothing that it started is left running.
 */
export async function examine(agent: AgentName, examination: Examination): Promise<AgentReport> {
  const { user, launcher, http } = examination;
  const paths = pathsOf(examination);
  const program = findHeadless(agent, paths) ?? null;
  const files = entryFiles(agent, user, launcher, http);
  const installed = installedEntry(agent, files);
  const isHttp = installed?.start !== undefined;
  const { headless } = hostSettings[agent];
  const sandbox = createSandbox(examination);
  try {
    const version = program === null ? null : await versionOf(program, sandbox);
    const serve = isHttp ? await serveForSandbox(sandbox, http, user.env) : undefined;
    const probed: Probed = installed
      ? await probeEntry(agent, installed, sandbox, serve)
      : { latencyMs: null, findings: [] };
    const isPlayed = typeof headless !== 'string';
    const ownFiles = files.filter(isOurs).map(({ file }) => file);
    const known = isPlayed ? headless.trust(user, ownFiles) : 'unknown';
    const { proof, trust } =
      program === null || !installed
        ? { proof: nothingProven, trust: known }
        : isPlayed
          ? await prove({ agent, program, headless, user, sandbox, trust: known, serve })
          : { proof: notTried(headless), trust: known };
    // Without the token, or with a command that does not work, its prompt is refused, and so it ends.
    const isBroken = !isHttp && probed.findings.length > 0;
    const isEndedByUs = (serve?.isKnown === false || isBroken) && proof.fires === null;
    const findings = [
      ...fileFindings(agent, files),
      ...whatFails(isEndedByUs ? nothingProven : proof, [
        ...(isHttp ? await httpFindings(agent, http, user.env) : []),
        ...probed.findings,
        ...(isPlayed ? headless.switches(user) : []),
      ]),
      ...(program === null ? [notThere(agent)] : acpFindings(agent, paths)),
    ];
    const fires = isBroken && program !== null ? (proof.fires ?? false) : proof.fires;
    const { blocks } = proof;
    return { agent, program, version, files, fires, blocks, trust, latencyMs: probed.latencyMs, findings };
  } finally {
    sandbox.leave();
  }
}

/** The agents that are here, or whose files hold entries of ours. */
export const presentAgents = (examination: Examination): AgentName[] =>
  agentNames.filter(
    agent =>
      findHeadless(agent, pathsOf(examination)) !== undefined ||
      hasEntries({ files: entryFiles(agent, examination.user, examination.launcher, examination.http) }),
  );

/** The agents whose program for people is here. */
export const presentPrograms = (paths: ProgramSearch): AgentName[] =>
  agentNames.filter(agent => findHeadless(agent, paths) !== undefined);

const pathsOf = ({ cwd, user, ownFile }: Examination) => ({ cwd, searchPath: user.env['PATH'] ?? '', ownFile });

/** What runs it without a terminal, also where only its program for ACP has brought that along. */
function findHeadless(agent: AgentName, paths: ProgramSearch): string | undefined {
  const { program, broughtAlong } = hostSettings[agent];
  const found = findProgram(program, paths);
  const acp = found === undefined && broughtAlong ? findProgram(presets[agent]!.program, paths) : undefined;
  if (acp === undefined) return found;
  const folders = withFoldersAbove(dirname(realpathSync(acp)));
  return folders.flatMap(folder => broughtAlong!.map(name => join(folder, 'node_modules', name))).find(isExecutable);
}

const versionMs = 10_000;

/** What a program says its version is; null where it says nothing that looks like one. */
async function versionOf(program: string, sandbox: Sandbox): Promise<string | null> {
  const { outcome } = await sandbox.run({ file: program, args: ['--version'], mostMs: versionMs });
  const said = 'stdout' in outcome ? `${outcome.stdout}\n${outcome.stderr}` : '';
  return /\d+\.\d+(\.\d+)?[\w.+-]*/.exec(said)?.[0] ?? null;
}

const nothingProven: Proof = { fires: null, blocks: null, findings: [] };

function notTried(why: string): Proof {
  const message = `whether its hooks fire was not tried: ${why}`;
  const fix = 'give it a task in this project, then look at what the hooks have done';
  return { ...nothingProven, findings: [finding('note', message, fix)] };
}

/** Where hooks do not fire and a cause is known, the cause is the error, and its remedy the only one. */
function whatFails({ fires, findings }: Proof, causes: readonly Finding[]): Finding[] {
  if (fires !== false || causes.length === 0) return [...causes, ...findings];
  const bare = findings.map(({ severity, message }) => ({ severity, message }));
  return [...causes.map(cause => ({ ...cause, severity: 'error' as const })), ...bare];
}

function notThere(agent: AgentName): Finding {
  const { program } = hostSettings[agent];
  return finding('note', `${program} is neither on PATH nor in node_modules, so nothing could be tried`);
}

/** What `hookloop run` starts is another program for some agents. */
export function acpFindings(agent: AgentName, paths: ProgramSearch): Finding[] {
  const preset = Object.hasOwn(presets, agent) ? presets[agent]! : undefined;
  if (!preset) return [];
  if (findProgram(preset.program, paths) === undefined) {
    const message = `hookloop run --agent ${agent} needs ${preset.program}, which is not installed`;
    return [finding('note', message, `npm install -g ${preset.package}`)];
  }
  if (preset.unasked === undefined) return [];
  const late = 'a hook that refuses one is heard after it ran, and the turn is cancelled';
  return [finding('note', `in hookloop run ${agent} asks no one about ${preset.unasked}: ${late}`)];
}
