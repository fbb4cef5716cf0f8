import type { AgentPort } from '../../model/agent.ts';
import type { ActionOutcome, ActionRun, ActionRunners, HookEvent, JudgeAction } from '../../model/index.ts';
import type { StageFacts } from '../../model/pipeline.ts';
import { askJudge, type Judged } from './ask.ts';
import { hookQuestion, stageQuestion } from './question.ts';

export interface JudgeRunnerOptions {
  /** Who is asked about an event. */
  judgeFor(event: HookEvent): AgentPort | { reason: string };
  cwd: string;
  env: Readonly<Record<string, string>>;
  mask(text: string): string;
}

/** Runs hooks that ask a model. An answer that is none is a failure, never a yes. */
export function createJudgeRunner(options: JudgeRunnerOptions): Required<Pick<ActionRunners, 'prompt' | 'agent'>> {
  const judge = (action: JudgeAction, run: ActionRun): Promise<ActionOutcome> => runJudge(action, run, options);
  return { prompt: judge, agent: judge };
}

async function runJudge(action: JudgeAction, run: ActionRun, options: JudgeRunnerOptions): Promise<ActionOutcome> {
  const { cwd, env, mask } = options;
  const agent = options.judgeFor(run.event);
  if (!('start' in agent)) return { kind: 'not-started', reason: agent.reason };
  if (action.kind === 'agent' && !canBeRefused(agent))
    return {
      kind: 'not-started',
      reason:
        'an agent hook needs a judge whose tools can be refused, and those of command: cannot; write judge: { agent: ... } in hookloop.yaml, or ask with type prompt',
    };
  const tools = action.kind === 'agent' ? 'read' : 'none';
  const question = mask(hookQuestion(filled(action.prompt, run.presentation.env), run.event, tools));
  const { timeoutMs, signal } = run;
  return toOutcome(await askJudge({ agent, question, tools, cwd, env, timeoutMs, signal }));
}

/** A program that is given a prompt does what it likes with it; others ask before they use a tool. */
const canBeRefused = ({ name }: AgentPort): boolean => name !== 'command';

/**
 * Names that the event does not have stay as they are: a question may show shell commands. `$ARGUMENTS` is where prompts
 * for Claude Code want the event.
 */
const filled = (prompt: string, values: Readonly<Record<string, string>>): string =>
  prompt.replaceAll(/\$ARGUMENTS\b|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string | undefined) => {
    if (name === undefined) return '(the event below)';
    return Object.hasOwn(values, name) ? values[name]! : whole;
  });

const toOutcome = (judged: Judged): ActionOutcome =>
  judged.kind === 'failed' ? { kind: 'no-answer', reason: judged.reason } : judged;

export interface StageJudging {
  agent: AgentPort;
  facts: StageFacts;
  cwd: string;
  env: Readonly<Record<string, string>>;
  mask(text: string): string;
  /** The longest turn of an agent in this session. */
  limitMs: number | null;
  signal: AbortSignal;
}

const longestMs = 600_000;

/** Asks whether a stage is done. Contract: never rejects. */
export async function judgeStage({
  agent,
  facts,
  cwd,
  env,
  mask,
  limitMs,
  signal,
}: StageJudging): Promise<{ kind: 'judged'; ok: boolean; reason: string } | { kind: 'failed'; reason: string }> {
  const timeoutMs = Math.min(limitMs ?? longestMs, longestMs);
  const question = mask(stageQuestion(facts));
  const judged = await askJudge({ agent, question, tools: 'read', cwd, env, timeoutMs, signal });
  if (judged.kind === 'timed-out') return { kind: 'failed', reason: `no answer within ${timeoutMs / 1000} s` };
  if (judged.kind === 'not-started') return { kind: 'failed', reason: `it could not start: ${judged.reason}` };
  return judged.kind === 'cancelled' ? { kind: 'failed', reason: 'it was cut off' } : judged;
}
