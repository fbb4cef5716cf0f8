import type { AgentPort } from '../../model/agent.ts';
import {
  type ActionOutcome,
  type ActionRun,
  type ActionRunners,
  fillNames,
  type HookEvent,
  type JudgeAction,
} from '../../model/index.ts';
import type { StageFacts } from '../../model/pipeline.ts';
import { type AgentQuestion, askAgent } from './ask-agent.ts';
import { hookQuestion, looksAround, readJudgeAnswer, stageQuestion } from './judge-question.ts';

export interface JudgeRunnerOptions {
  /** Who is asked about an event. */
  judgeFor(event: HookEvent): AgentPort | { reason: string };
  cwd: string;
  env: Readonly<Record<string, string>>;
  mask(text: string): string;
}

/** Runs hooks that ask a model. An answer that is none is a failure, never a yes. */
export function createJudgeRunner(options: JudgeRunnerOptions): Required<Pick<ActionRunners, JudgeAction['kind']>> {
  const judge = (action: JudgeAction, run: ActionRun): Promise<ActionOutcome> => runJudge(action, run, options);
  return { prompt: judge, agent: judge, judge };
}

async function runJudge(action: JudgeAction, run: ActionRun, options: JudgeRunnerOptions): Promise<ActionOutcome> {
  const { cwd, env, mask } = options;
  const agent = options.judgeFor(run.event);
  if (!('start' in agent)) return { kind: 'not-started', reason: agent.reason };
  const tools = looksAround(action) ? 'read' : 'none';
  if (tools === 'read' && !canBeRefused(agent))
    return {
      kind: 'not-started',
      reason:
        'an agent hook needs a judge whose tools can be refused, and those of command: cannot; write judge: { agent: ... } in hookloop.yaml, or let it look at nothing with tools: false (type: prompt)',
    };
  const question = mask(hookQuestion(filled(action.prompt, run.presentation.env), run.event, tools));
  const { timeoutMs, signal } = run;
  return askJudge({ agent, question, tools, cwd, env, timeoutMs, signal });
}

/** A program that is given a prompt does what it likes with it; others ask before they use a tool. */
const canBeRefused = ({ name }: AgentPort): boolean => name !== 'command';

/** `$ARGUMENTS` is where prompts for Claude Code want the event. */
const filled = (prompt: string, values: Readonly<Record<string, string>>): string =>
  fillNames(prompt.replaceAll(/\$ARGUMENTS\b/g, '(the event below)'), values);

export interface StageJudging extends Pick<JudgeRunnerOptions, 'cwd' | 'env' | 'mask'> {
  agent: AgentPort;
  facts: StageFacts;
  /** The longest turn of an agent in this session. */
  limitMs: number | null;
  signal: AbortSignal;
}

const longestMs = 600_000;

/** Asks whether a stage is done. Contract: never rejects. */
export async function judgeStage(
  stage: StageJudging,
): Promise<{ kind: 'judged'; ok: boolean; reason: string } | { kind: 'failed'; reason: string }> {
  const { agent, facts, cwd, env, mask, signal } = stage;
  const timeoutMs = Math.min(stage.limitMs ?? longestMs, longestMs);
  const question = mask(stageQuestion(facts));
  const judged = await askJudge({ agent, question, tools: 'read', cwd, env, timeoutMs, signal });
  if (judged.kind === 'judged') return judged;
  if (judged.kind === 'timed-out') return { kind: 'failed', reason: `no answer within ${timeoutMs / 1000} s` };
  if (judged.kind === 'not-started') return { kind: 'failed', reason: `it could not start: ${judged.reason}` };
  return { kind: 'failed', reason: judged.kind === 'cancelled' ? 'it was cut off' : judged.reason };
}

type JudgeQuestion = Omit<AgentQuestion, 'next'>;

type Judged = Extract<ActionOutcome, { kind: 'judged' | 'no-answer' | 'not-started' | 'timed-out' | 'cancelled' }>;

/** Asks an agent of its own one question in a conversation of its own. Contract: never rejects. */
async function askJudge(asked: JudgeQuestion): Promise<Judged> {
  const said = await askAgent(asked);
  if (said.kind !== 'answer') return said;
  const answer = readJudgeAnswer(said.text);
  if (answer.kind === 'none')
    return { kind: 'no-answer', reason: `what it said is not {"ok": ..., "reason": ...}: ${answer.why}` };
  return { kind: 'judged', ok: answer.ok, reason: answer.reason };
}
