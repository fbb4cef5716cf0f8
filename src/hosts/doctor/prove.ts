import type { ActionOutcome } from '../../model/index.ts';
import type { AgentFolders } from '../host.ts';
import type { AgentName } from '../index.ts';
import type { Grant, HeadlessAgent } from '../settings.ts';
import { type Finding, finding, type Trust } from './agent-report.ts';
import type { SandboxServe } from './http-way.ts';
import { type ModelServer, startModel } from './model-server.ts';
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
}

/** Runs the agent as it is; where that does not fire, once more with trust, to know whether trust is what is missing. */
export async function prove(trial: Trial): Promise<{ proof: Proof; trust: Trust }> {
  const { agent, headless, user, sandbox, trust, serve } = trial;
  const model = await startModel(headless.protocol);
  try {
    const files = Object.entries(headless.files(user, sandbox.folders, model.url));
    sandbox.write(Object.fromEntries(files.map(([path, text]) => [path, serve?.redirected(text) ?? text])));
    const proof = await runCanary(trial, model);
    if (proof.fires === true) {
      if (trust !== 'untrusted') return { proof, trust };
      // Without a terminal it ran the hooks, and with one it may not.
      const message = `in a terminal ${agent} runs the hooks of this folder only after you have trusted it`;
      const doubt = finding('warning', message, headless.howToTrust);
      return { proof: { ...proof, findings: [...proof.findings, doubt] }, trust };
    }
    const grant = headless.grant?.(sandbox.folders);
    if (!grant) return { proof, trust };
    const granted = await runCanary(trial, model, grant);
    if (granted.fires !== true) return { proof, trust };
    const isChanged = trust === 'trusted';
    const why = isChanged ? 'they have changed since you trusted them' : 'they or this folder are not trusted';
    const then = granted.blocks === true ? 'with trust, they fire and block' : 'with trust, they fire';
    const missing = finding('error', `${agent} does not run these hooks, since ${why} (${then})`, headless.howToTrust);
    return {
      proof: { fires: false, blocks: proof.blocks ?? false, findings: [missing] },
      trust: isChanged ? 'changed' : 'untrusted',
    };
  } finally {
    await model.close();
  }
}

/**
 * Lets an agent use its shell twice, in one conversation: the hook looks at the first call and refuses the second. That
 * the first one runs shows that only the refusal can have kept the second from running.
 */
async function runCanary(trial: Trial, model: ModelServer, grant: Grant = {}): Promise<Proof> {
  const { agent, program, headless, user, sandbox, serve } = trial;
  const { observed, refused } = canaryName;
  sandbox.clear([observed, refused]);
  sandbox.write(grant.files ?? {});
  model.script([
    { text: 'I look.', tools: [headless.shell(`echo seen > ${observed}`)] },
    { text: 'I try.', tools: [headless.shell(`echo seen > ${refused}`)] },
    { text: 'I am done.' },
  ]);
  const [first, ...rest] = headless.args('Do what has to be done.');
  const kept = Object.fromEntries((headless.keepsEnv ?? []).map(name => [name, user.env[name]]));
  const { outcome } = await sandbox.run({
    file: program,
    args: [first!, ...(grant.args ?? []), ...rest],
    env: { ...kept, ...serve?.env, ...headless.env(model.url), ...grant.env },
  });
  return proofOf(agent, outcome, sandbox, model.heard());
}

/** What a run of an agent shows. `heard`: what its model was told, each time it was asked. */
function proofOf(agent: AgentName, outcome: ActionOutcome, sandbox: Sandbox, heard: readonly string[]): Proof {
  const calls = sandbox.calls();
  const isCalledFor = (name: string): boolean => calls.some(call => call.includes(name));
  const ran = sandbox.has(canaryName.observed);
  const isRefused = isCalledFor(canaryName.refused);
  const fires = isCalledFor(canaryName.observed) ? true : ran || heard.length > 1 ? false : null;
  const blocks = sandbox.has(canaryName.refused) ? false : isRefused ? true : null;
  const proven = (severity: Finding['severity'], what: string, fix?: string): Proof => ({
    ...{ fires, blocks },
    findings: [finding(severity, `${agent} ${what}`, fix)],
  });
  const ended = (before: string): Proof =>
    proven('error', `ended before ${before}: ${lastWords(outcome)}`, `run ${agent} by hand in an empty folder`);
  if (fires === null) return ended(heard.length === 0 ? 'it asked its model for anything' : 'it used a tool');
  if (fires === false) {
    const what = ran ? 'used a tool without calling Hookloop' : 'neither called Hookloop nor used its tool';
    return proven('error', what, `hookloop install ${agent}, then hookloop doctor ${agent}`);
  }
  if (blocks === null) return ended('a call could be refused');
  if (!blocks) {
    const what = isRefused
      ? 'ran a command that Hookloop had refused'
      : 'called Hookloop for one command and not for the next';
    return proven('error', what, `do not rely on gates with this version of ${agent}`);
  }
  const late = outcome.kind === 'timed-out' && `${agent} did not finish: ${lastWords(outcome)}`;
  const told = heard.some(text => text.includes(canaryName.reason));
  const deaf = !told && `${agent} does not tell its model why a call was refused`;
  return { fires, blocks, findings: [late, deaf].flatMap(flaw => (flaw ? [finding('warning', flaw)] : [])) };
}
