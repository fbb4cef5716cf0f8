import type { InstallPlaces } from '../config.ts';
import type { AgentName } from '../host.ts';
import { startModel } from '../models/server.ts';
import { runCanary } from './canary.ts';
import type { HeadlessAgent } from './headless.ts';
import type { StagedHttp } from './http-way.ts';
import type { Finding, Trust } from './report.ts';
import type { Stage } from './stage.ts';
import { type Proof, proofOf } from './verdict.ts';

export interface Trial {
  agent: AgentName;
  program: string;
  headless: HeadlessAgent;
  user: InstallPlaces;
  stage: Stage;
  /** What the user's files say. */
  trust: Trust;
  /** Where calls go to serve. */
  staged: StagedHttp | undefined;
  /** How long a run may take that begins now. */
  limits(): { timeoutMs: number; signal: AbortSignal };
}

/** Runs the agent as it is; where that does not fire, once more with trust, to know whether trust is what is missing. */
export async function prove(trial: Trial): Promise<{ proof: Proof; trust: Trust }> {
  const { agent, headless, user, stage, trust, staged } = trial;
  const model = await startModel(headless.wire);
  try {
    const files = Object.entries(headless.files(user, stage.places, model.url));
    stage.write(Object.fromEntries(files.map(([path, text]) => [path, staged?.redirected(text) ?? text])));
    const keptEnv = {
      ...Object.fromEntries(headless.keepsEnv.map(name => [name, user.env[name]])),
      ...staged?.env,
    };
    const run = () => ({ ...trial, model, keptEnv, ...trial.limits() });
    const proof = proofOf(agent, await runCanary(run()));
    if (proof.fires === true) return { proof: withDoubt(proof, trial), trust };
    const grant = headless.grant?.(stage.places);
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
