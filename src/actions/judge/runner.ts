import type { AgentListener, AgentPort, Turn } from '../../model/agent.ts';
import {
  type ActionOutcome,
  type ActionRun,
  type ActionRunners,
  type Decision,
  fillNames,
  type HookEvent,
  type JudgeAction,
} from '../../model/index.ts';
import type { StageFacts } from '../../model/pipeline.ts';
import { callKinds } from '../../model/tool-call.ts';
import { limitOf } from '../process/limit.ts';
import { hookQuestion, type JudgeTools, readJudgeAnswer, stageQuestion } from './judge-question.ts';

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
  const tools = action.kind === 'prompt' || action.tools === false ? 'none' : 'read';
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

interface JudgeQuestion {
  agent: AgentPort;
  question: string;
  tools: JudgeTools;
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** null: no limit. */
  timeoutMs: number | null;
  signal: AbortSignal;
}

type Judged = Extract<ActionOutcome, { kind: 'judged' | 'no-answer' | 'not-started' | 'timed-out' | 'cancelled' }>;

/** Asks an agent of its own one question in a conversation of its own. Contract: never rejects. */
async function askJudge(asked: JudgeQuestion): Promise<Judged> {
  if (asked.signal.aborted) return { kind: 'cancelled' };
  const limit = limitOf(asked);
  try {
    const judged = await converse(asked, limit.signal);
    return limit.cutOff() ?? judged;
  } catch (error) {
    return limit.cutOff() ?? noAnswer(String(error));
  } finally {
    limit.clear();
  }
}

const noAnswer = (reason: string): Judged => ({ kind: 'no-answer', reason });

async function converse({ agent, question, tools, cwd, env }: JudgeQuestion, signal: AbortSignal): Promise<Judged> {
  const listener = createJudgeListener(tools);
  const started = await agent.start({ cwd, env, listener, mcpServers: [], signal });
  if (started.kind === 'unavailable')
    return { kind: 'not-started', reason: [started.reason, started.hint].filter(Boolean).join('; ') };
  if (started.kind === 'failed') return { kind: 'not-started', reason: started.reason };
  try {
    const conversed = await started.agent.converse();
    if (conversed.kind === 'failed') return noAnswer(conversed.reason);
    const turn = await conversed.conversation.prompt([question], { signal });
    const overstep = listener.overstepped();
    return overstep === undefined ? toJudged(turn) : noAnswer(`the judge used ${overstep}, which it is not allowed to`);
  } finally {
    await started.agent.stop();
  }
}

function toJudged(turn: Turn): Judged {
  if (turn.kind === 'failed') return noAnswer(turn.reason);
  if (turn.kind === 'cancelled') return noAnswer('the judge was cut off');
  if (turn.stopReason === 'refusal') return noAnswer('the model refused to answer');
  // What it had said by then may be no more than what it quotes.
  if (turn.stopReason !== 'end_turn') return noAnswer(`the judge was cut off (${turn.stopReason})`);
  const answer = readJudgeAnswer(turn.text);
  if (answer.kind === 'none') return noAnswer(`what it said is not {"ok": ..., "reason": ...}: ${answer.why}`);
  return { kind: 'judged', ok: answer.ok, reason: answer.reason };
}

interface JudgeListener extends AgentListener {
  /** What the judge has done without asking, though it may not. */
  overstepped(): string | undefined;
}

const looking: ReadonlySet<string> = new Set(['read', 'search']);

/** Refuses whatever changes something, runs something, leaves the machine, or is of no known kind. */
export function createJudgeListener(tools: JudgeTools): JudgeListener {
  let overstep: string | undefined;
  const isLooking = (event: HookEvent): boolean => {
    const kinds = [...callKinds(event)];
    return kinds.length > 0 && kinds.every(kind => looking.has(kind));
  };
  return {
    async ask(event): Promise<Decision> {
      const { tool } = event;
      if (tools === 'read' && isLooking(event)) return { kind: 'proceed' };
      const may = tools === 'read' ? 'a judge may only read and search' : 'a judge answers without tools';
      return { kind: 'block', reason: `${may}: ${tool ?? 'this tool'} is refused`, by: 'hookloop' };
    },
    // What it does without asking is seen when it has done it, and then its answer does not count.
    calling: async () => ({ kind: 'proceed' }),
    calledAnyway: async () => {},
    async tell(event: HookEvent<'tool.called' | 'tool.failed' | 'file.edited'>) {
      // Edited files are not looked at: others may be at work in the same folder.
      if (event.name !== 'file.edited' && !isLooking(event)) overstep ??= event.tool ?? 'a tool';
    },
    show: () => {},
    overstepped: () => overstep,
  };
}
