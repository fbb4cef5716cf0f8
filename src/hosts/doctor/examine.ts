import { performance } from 'node:perf_hooks';
import type { AgentFolders } from '../host.ts';
import { type AgentName, agentNames } from '../index.ts';
import { hostSettings } from '../settings-table.ts';
import { entryFiles, fileFindings, installedEntry } from './entries.ts';
import { type HttpWay, httpFindings, serveForSandbox } from './http-way.ts';
import { type Probed, probeEntry } from './probe.ts';
import { acpFindings, findHeadless } from './programs.ts';
import { type Proof, prove, type Trial } from './prove.ts';
import { type AgentReport, type EntryFile, type Finding, hasEntries } from './report.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';

export interface Examination {
  user: AgentFolders;
  cwd: string;
  /** What entries for this checkout and this user call. */
  launcher: string;
  /** Where calls over HTTP go. */
  http: HttpWay;
  /** A file of this program. */
  ownFile: string;
  /** For one agent, whatever it does. */
  limitMs: number;
  signal: AbortSignal;
}

/**
 * Finds out what an agent does with our hooks. Contract: throws file errors; nothing of it is left in the user's folders,
 * and nothing that it started is left running.
 */
export async function examine(agent: AgentName, examination: Examination): Promise<AgentReport> {
  const { user, launcher, http, limitMs, signal } = examination;
  const paths = pathsOf(examination);
  const program = findHeadless(agent, paths) ?? null;
  const files = entryFiles(agent, user, launcher, http);
  const { headless } = hostSettings[agent];
  const untilMs = performance.now() + limitMs;
  const limits = () => ({ timeoutMs: Math.max(1, Math.round(untilMs - performance.now())), signal });
  const sandbox = createSandbox(user);
  try {
    const version = program === null ? null : await versionOf(program, sandbox, limits());
    const installed = installedEntry(agent, files);
    const isHttp = installed?.kind === 'http';
    const serve = isHttp ? await serveForSandbox(sandbox, http, user.env) : undefined;
    const probed =
      installed === undefined ? notProbed : await probeEntry(agent, installed, { sandbox, serve, ...limits() });
    const trust = typeof headless === 'string' ? 'unknown' : headless.trust(user, ownFiles(files));
    const { proof, ...proven } =
      program === null || installed === undefined
        ? { proof: nothingProven, trust }
        : typeof headless === 'string'
          ? { proof: notTried(headless), trust }
          : await prove({ agent, program, headless, user, sandbox, trust, serve, limits } satisfies Trial);
    const off = typeof headless === 'string' ? [] : headless.switches(user);
    // Without the token, or with a command that does not work, its prompt is refused, and so it ends.
    const isBroken = installed?.kind === 'command' && probed.findings.length > 0;
    const isEndedByUs = (serve?.isKnown === false || isBroken) && proof.fires === null;
    const findings = [
      ...fileFindings(agent, files),
      ...whatFails(isEndedByUs ? nothingProven : proof, [
        ...(isHttp ? await httpFindings(agent, http, user.env) : []),
        ...probed.findings,
        ...off,
      ]),
      ...(program === null ? [notThere(agent)] : acpFindings(agent, paths)),
    ];
    const { blocks } = proof;
    const fires = isBroken && program !== null ? (proof.fires ?? false) : proof.fires;
    return { agent, program, version, files, fires, blocks, ...proven, latencyMs: probed.latencyMs, findings };
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

const pathsOf = ({ cwd, user, ownFile }: Examination) => ({ cwd, searchPath: user.env['PATH'] ?? '', ownFile });

const versionMs = 10_000;

/** What a program says its version is; null where it says nothing that looks like one. */
async function versionOf(
  program: string,
  sandbox: Sandbox,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<string | null> {
  const args = ['--version'];
  const { outcome } = await sandbox.run({ file: program, args, timeoutMs: Math.min(timeoutMs, versionMs), signal });
  const said = 'stdout' in outcome ? `${outcome.stdout}\n${outcome.stderr}` : '';
  return /\d+\.\d+(\.\d+)?[\w.+-]*/.exec(said)?.[0] ?? null;
}

const notProbed: Probed = { latencyMs: null, findings: [] };
const nothingProven: Proof = { fires: null, blocks: null, findings: [] };

const ownFiles = (files: readonly EntryFile[]): string[] =>
  files.filter(file => hasEntries({ files: [file] })).map(({ file }) => file);

const notTried = (why: string): Proof => ({
  ...nothingProven,
  findings: [
    {
      severity: 'note',
      message: `whether its hooks fire was not tried: ${why}`,
      fix: 'give it a task in this project, then look at what the hooks have done',
    },
  ],
});

/** Where hooks do not fire and a cause is known, the cause is the error, and its remedy the only one. */
function whatFails({ fires, findings }: Proof, causes: readonly Finding[]): Finding[] {
  if (fires !== false || causes.length === 0) return [...causes, ...findings];
  const bare = findings.map(({ severity, message }) => ({ severity, message }));
  return [...causes.map(cause => ({ ...cause, severity: 'error' as const })), ...bare];
}

const notThere = (agent: AgentName): Finding => ({
  severity: 'note',
  message: `${hostSettings[agent].program} is neither on PATH nor in node_modules, so nothing could be tried`,
});
