import type { ActionOutcome } from '../../model/index.ts';
import type { ModelServer } from '../models/server.ts';
import { canaryName } from './canary-hook.ts';
import type { Grant, HeadlessAgent } from './headless.ts';
import type { Stage } from './stage.ts';

/** What could be seen of one run of an agent. */
export interface Evidence {
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

export interface CanaryRun {
  program: string;
  headless: HeadlessAgent;
  stage: Stage;
  model: ModelServer;
  keptEnv: Readonly<Record<string, string | undefined>>;
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Lets an agent use its shell twice, in one conversation: the hook looks at the first call and refuses the second. That
 * the first one runs shows that only the refusal can have kept the second from running.
 */
export async function runCanary(run: CanaryRun, grant: Grant = {}): Promise<Evidence> {
  const { headless, stage, model } = run;
  const { observed, refused, reason } = canaryName;
  stage.clear([observed, refused]);
  stage.write(grant.files ?? {});
  model.script([
    { text: 'I look.', tools: [headless.shell(`echo seen > ${observed}`)] },
    { text: 'I try.', tools: [headless.shell(`echo seen > ${refused}`)] },
    { text: 'I am done.' },
  ]);
  const [first, ...rest] = headless.args('Do what has to be done.');
  const { outcome } = await stage.run({
    file: run.program,
    args: [first!, ...(grant.args ?? []), ...rest],
    env: { ...run.keptEnv, ...headless.env(model.url), ...grant.env },
    timeoutMs: run.timeoutMs,
    signal: run.signal,
  });
  const calls = stage.calls();
  const heard = model.heard();
  return {
    outcome,
    asked: heard.length,
    fired: calls.some(call => call.includes(observed)),
    ran: stage.has(observed),
    refused: calls.some(call => call.includes(refused)),
    slipped: stage.has(refused),
    told: heard.some(text => text.includes(reason)),
  };
}
