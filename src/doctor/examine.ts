import { performance } from 'node:perf_hooks';
import type { InstallPlaces } from '../hosts/config.ts';
import type { AgentName } from '../hosts/host.ts';
import { startModel } from '../models/server.ts';
import { headlessAgents } from './agents/index.ts';
import { runCanary } from './canary.ts';
import { entryFiles, installedCommand } from './entries.ts';
import { fileFindings } from './file-findings.ts';
import type { HeadlessAgent } from './headless.ts';
import { type Probed, probeEntry } from './probe.ts';
import { acpFindings, findHeadless, programNames } from './programs.ts';
import { type AgentReport, type EntryFile, type Finding, hasEntries, type Trust } from './report.ts';
import { createStage, type Stage } from './stage.ts';
import { type Proof, proofOf } from './verdict.ts';
import { versionOf } from './version.ts';

export interface Examination {
  user: InstallPlaces;
  cwd: string;
  /** What entries for this checkout and this user call. */
  launcher: string;
  /** A file of this program. */
  ownFile: string;
  /** For one agent, whatever it does. */
  limitMs: number;
  signal: AbortSignal;
}

/** Finds out what an agent does with our hooks. Contract: throws file errors; nothing of it is left in the user's folders. */
export async function examine(agent: AgentName, examination: Examination): Promise<AgentReport> {
  const { user, cwd, launcher, ownFile } = examination;
  const findPlaces = { cwd, searchPath: user.env['PATH'] ?? '', ownFile };
  const program = findHeadless(agent, findPlaces) ?? null;
  const files = entryFiles(agent, user, launcher);
  const headless = headlessAgents[agent];
  const stage = createStage(user);
  try {
    const subject = {
      agent,
      program,
      files,
      headless,
      stage,
      examination,
      untilMs: performance.now() + examination.limitMs,
    };
    const version = program === null ? null : await versionOf(program, stage, limitsOf(subject));
    const { probed, proof, trust } = await prove(subject);
    const findings = [
      ...fileFindings(agent, files),
      ...probed.findings,
      ...(typeof headless === 'string' ? [] : headless.switches(user)),
      ...proof.findings,
      ...(program === null ? [notThere(agent)] : acpFindings(agent, findPlaces)),
    ];
    const { fires, blocks } = proof;
    return { agent, program, version, files, fires, blocks, trust, latencyMs: probed.latencyMs, findings };
  } finally {
    stage.leave();
  }
}

interface Subject {
  agent: AgentName;
  program: string | null;
  files: readonly EntryFile[];
  headless: HeadlessAgent | string;
  stage: Stage;
  examination: Examination;
  untilMs: number;
}

const limitsOf = ({ untilMs, examination: { signal } }: Subject) => ({
  timeoutMs: Math.max(1, Math.round(untilMs - performance.now())),
  signal,
});

const nothingProven: Proof = { fires: null, blocks: null, findings: [] };

async function prove(subject: Subject): Promise<{ probed: Probed; proof: Proof; trust: Trust }> {
  const { agent, program, files, headless, stage, examination } = subject;
  const own = files.filter(file => hasEntries({ files: [file] })).map(({ file }) => file);
  const trust = typeof headless === 'string' ? 'unknown' : headless.trust(examination.user, own);
  const command = installedCommand(agent, files);
  if (command === undefined) return { probed: { latencyMs: null, findings: [] }, proof: nothingProven, trust };
  const probed = await probeEntry(agent, command, stage, limitsOf(subject));
  if (program === null) return { probed, proof: nothingProven, trust };
  if (typeof headless === 'string') {
    const message = `whether its hooks fire was not tried: ${headless}`;
    return { probed, proof: { ...nothingProven, findings: [{ severity: 'note', message, ...cannotTry }] }, trust };
  }
  return { probed, ...(await proveByRun(subject, program, headless, trust)) };
}

const cannotTry = { fix: 'give it a task in this project, then look at what the hooks have done' };

/** As it is; where that does not fire, once more with trust, to know whether trust is what is missing. */
async function proveByRun(
  subject: Subject,
  program: string,
  headless: HeadlessAgent,
  trust: Trust,
): Promise<{ proof: Proof; trust: Trust }> {
  const { agent, stage, examination } = subject;
  const { user } = examination;
  const model = await startModel(headless.wire);
  try {
    stage.write(headless.files(user, stage.places, model.url));
    const keptEnv = Object.fromEntries(headless.keepsEnv.map(name => [name, user.env[name]]));
    const run = () => ({ program, headless, stage, model, keptEnv, ...limitsOf(subject) });
    const proof = proofOf(agent, await runCanary(run()));
    const grant = headless.grant?.(stage.places);
    if (proof.fires === true) return { proof: withDoubt(proof, trust, agent, headless), trust };
    if (!grant || examination.signal.aborted) return { proof, trust };
    const trusting = proofOf(agent, await runCanary(run(), grant));
    if (trusting.fires !== true) return { proof, trust };
    return {
      proof: { fires: false, blocks: proof.blocks ?? false, findings: [untrusted(agent, headless, trust, trusting)] },
      trust: trust === 'trusted' ? 'changed' : 'untrusted',
    };
  } finally {
    await model.close();
  }
}

/** Without a terminal it ran the hooks, and with one it may not. */
const withDoubt = (proof: Proof, trust: Trust, agent: AgentName, { howToTrust }: HeadlessAgent): Proof =>
  trust !== 'untrusted'
    ? proof
    : {
        ...proof,
        findings: [
          ...proof.findings,
          {
            severity: 'warning',
            message: `in a terminal ${agent} runs the hooks of this folder only after you have trusted it`,
            fix: howToTrust,
          },
        ],
      };

function untrusted(agent: AgentName, { howToTrust }: HeadlessAgent, trust: Trust, { blocks }: Proof): Finding {
  const then = blocks === true ? 'with trust, they fire and block' : 'with trust, they fire';
  const why = trust === 'trusted' ? 'they have changed since you trusted them' : 'they or this folder are not trusted';
  return {
    severity: 'error',
    message: `${agent} does not run these hooks, since ${why} (${then})`,
    fix: howToTrust,
  };
}

const notThere = (agent: AgentName): Finding => ({
  severity: 'note',
  message: `${programNames[agent]} is neither on PATH nor in node_modules, so nothing could be tried`,
});
