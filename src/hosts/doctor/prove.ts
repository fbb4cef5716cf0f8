import type { ActionOutcome } from '../../model/index.ts';
import type { AgentFolders } from '../host.ts';
import type { AgentName } from '../index.ts';
import type { Grant, HeadlessAgent } from '../settings.ts';
import type { SandboxServe } from './http-way.ts';
import { type ModelServer, startModel } from './models/server.ts';
import type { Finding, Trust } from './report.ts';
import { canaryName, lastWords, type Sandbox } from './sandbox.ts';

/** Null where the agent did not come so far. */
export interface Proof {
  fires: boolean | null;
  blocks: boolean | null;
  findings: readonly Finding[];
}

export interface Trial {
  agent: AgentName;
  program: string;
  headless: HeadlessAgent;
  user: AgentFolders;
  sandbox: Sandbox;
  /** What the user's files say. */
  trust: Trust;
  /** Where calls go to serve. */
  serve: SandboxServe | undefined;
  /** How long a run may take that begins now. */
  limits(): { timeoutMs: number; signal: AbortSignal };
}

/** Runs the agent as it is; where that does not fire, once more with trust, to know whether trust is what is missing. */
export async function prove(trial: Trial): Promise<{ proof: Proof; trust: Trust }> {
  const { agent, headless, user, sandbox, trust, serve } = trial;
  const model = await startModel(headless.wire);
  try {
    const files = Object.entries(headless.files(user, sandbox.folders, model.url));
    sandbox.write(Object.fromEntries(files.map(([path, text]) => [path, serve?.redirected(text) ?? text])));
    const keptEnv = {
      ...Object.fromEntries((headless.keepsEnv ?? []).map(name => [name, user.env[name]])),
      ...serve?.env,
    };
    const run = () => ({ ...trial, model, keptEnv, ...trial.limits() });
    const proof = proofOf(agent, await runCanary(run()));
    if (proof.fires === true) return { proof: withDoubt(proof, trial), trust };
    const grant = headless.grant?.(sandbox.folders);
    if (!grant || trial.limits().signal.aborted) return { proof, trust };
    const granted = proofOf(agent, await runCanary(run(), grant));
    if (granted.fires !== true) return { proof, trust };
    return {
      proof: { fires: false, blocks: proof.blocks ?? false, findings: [missingTrust(trial, granted)] },
      trust: trust === 'trusted' ? 'changed' : 'untrusted',
    };
  } finally {
    await model.close();
  }
}

/** Without a terminal it ran the hooks, and with one it may not. */
function withDoubt(proof: Proof, { agent, trust, headless }: Trial): Proof {
  if (trust !== 'untrusted') return proof;
  const message = `in a terminal ${agent} runs the hooks of this folder only after you have trusted it`;
  return { ...proof, findings: [...proof.findings, { severity: 'warning', message, fix: headless.howToTrust }] };
}

function missingTrust({ agent, trust, headless }: Trial, { blocks }: Proof): Finding {
  const why = trust === 'trusted' ? 'they have changed since you trusted them' : 'they or this folder are not trusted';
  const then = blocks === true ? 'with trust, they fire and block' : 'with trust, they fire';
  return {
    severity: 'error',
    message: `${agent} does not run these hooks, since ${why} (${then})`,
    fix: headless.howToTrust,
  };
}

/** What could be seen of one run of an agent. */
interface Evidence {
  outcome: ActionOutcome;
  /** How often its model was asked. */
  asked: number;
  /** Hookloop was called before the first command, which then ran. */
  fired: boolean;
  ran: boolean;
  /** Hookloop refused the second command, and it ran all the same. */
  refused: boolean;
  slipped: boolean;
  /** The model was told why. */
  told: boolean;
}

interface CanaryRun {
  program: string;
  headless: HeadlessAgent;
  sandbox: Sandbox;
  model: ModelServer;
  keptEnv: Readonly<Record<string, string | undefined>>;
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Lets an agent use its shell twice, in one conversation: the hook looks at the first call and refuses the second. That
 * the first one runs shows that only the refusal can have kept the second from running.
 */
async function runCanary(run: CanaryRun, grant: Grant = {}): Promise<Evidence> {
  const { headless, sandbox, model } = run;
  const { observed, refused, reason } = canaryName;
  sandbox.clear([observed, refused]);
  sandbox.write(grant.files ?? {});
  model.script([
    { text: 'I look.', tools: [headless.shell(`echo seen > ${observed}`)] },
    { text: 'I try.', tools: [headless.shell(`echo seen > ${refused}`)] },
    { text: 'I am done.' },
  ]);
  const [first, ...rest] = headless.args('Do what has to be done.');
  const { outcome } = await sandbox.run({
    file: run.program,
    args: [first!, ...(grant.args ?? []), ...rest],
    env: { ...run.keptEnv, ...headless.env(model.url), ...grant.env },
    timeoutMs: run.timeoutMs,
    signal: run.signal,
  });
  const calls = sandbox.calls();
  const heard = model.heard();
  return {
    outcome,
    asked: heard.length,
    fired: calls.some(call => call.includes(observed)),
    ran: sandbox.has(observed),
    refused: calls.some(call => call.includes(refused)),
    slipped: sandbox.has(refused),
    told: heard.some(text => text.includes(reason)),
  };
}

function proofOf(agent: AgentName, evidence: Evidence): Proof {
  const { asked, fired, ran, refused, slipped } = evidence;
  const fires = fired ? true : ran || asked > 1 ? false : null;
  const blocks = slipped ? false : refused ? true : null;
  const flaw = flawOf(agent, evidence, fires, blocks);
  return { fires, blocks, findings: flaw === undefined ? flawsBeside(agent, evidence) : [flaw] };
}

/** Why it is not proven that hooks fire and block. */
function flawOf(
  agent: AgentName,
  { outcome, asked, ran, refused }: Evidence,
  fires: boolean | null,
  blocks: boolean | null,
): Finding | undefined {
  const ended = (before: string): Finding =>
    error(`${agent} ended before ${before}: ${lastWords(outcome)}`, `run ${agent} by hand in an empty folder`);
  if (fires === null) return ended(asked === 0 ? 'it asked its model for anything' : 'it used a tool');
  if (fires === false) {
    const what = ran ? 'used a tool without calling Hookloop' : 'neither called Hookloop nor used its tool';
    return error(`${agent} ${what}`, `hookloop install ${agent}, then hookloop doctor ${agent}`);
  }
  if (blocks === null) return ended('a call could be refused');
  if (blocks) return undefined;
  const what = refused
    ? 'ran a command that Hookloop had refused'
    : 'called Hookloop for one command and not for the next';
  return error(`${agent} ${what}`, `do not rely on gates with this version of ${agent}`);
}

/** What could be better, though hooks fire and block. */
function flawsBeside(agent: AgentName, { outcome, told }: Evidence): Finding[] {
  const late = outcome.kind === 'timed-out' ? [warning(`${agent} came to no end: ${lastWords(outcome)}`)] : [];
  const deaf = told ? [] : [warning(`${agent} does not tell its model why a call was refused`)];
  return [...late, ...deaf];
}

const error = (message: string, fix: string): Finding => ({ severity: 'error', message, fix });
const warning = (message: string): Finding => ({ severity: 'warning', message });
