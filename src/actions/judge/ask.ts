import type { AgentListener, AgentPort, RunningAgent, Turn } from '../../model/agent.ts';
import type { Decision, HookEvent } from '../../model/index.ts';
import { callKinds } from '../../model/tool-call.ts';
import { type CutOff, limitOf } from '../process/cancel.ts';
import { type JudgeTools, readJudgeAnswer } from './question.ts';

export interface JudgeQuestion {
  agent: AgentPort;
  question: string;
  tools: JudgeTools;
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** null: no limit. */
  timeoutMs: number | null;
  signal: AbortSignal;
}

/** `failed`: there is no answer that could be taken for one. */
export type Judged =
  | { kind: 'judged'; ok: boolean; reason: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'not-started'; reason: string }
  | CutOff;

/** Asks an agent of its own one question in a conversation of its own. Contract: never rejects. */
export async function askJudge(asked: JudgeQuestion): Promise<Judged> {
  if (asked.signal.aborted) return { kind: 'cancelled' };
  const limit = limitOf(asked);
  try {
    const judged = await converse(asked, limit.signal);
    return limit.cutOff() ?? judged;
  } catch (error) {
    return limit.cutOff() ?? failed(String(error));
  } finally {
    limit.clear();
  }
}

const failed = (reason: string): Judged => ({ kind: 'failed', reason });

async function converse({ agent, question, tools, cwd, env }: JudgeQuestion, signal: AbortSignal): Promise<Judged> {
  const listener = createJudgeListener(tools);
  const started = await agent.start({ cwd, env, listener, mcpServers: [], signal });
  if (started.kind === 'unavailable')
    return { kind: 'not-started', reason: [started.reason, started.hint].filter(Boolean).join('; ') };
  if (started.kind === 'failed') return { kind: 'not-started', reason: started.reason };
  try {
    return await ask(started.agent, question, listener, signal);
  } finally {
    await started.agent.stop();
  }
}

async function ask(
  agent: RunningAgent,
  question: string,
  listener: JudgeListener,
  signal: AbortSignal,
): Promise<Judged> {
  const conversed = await agent.converse();
  if (conversed.kind === 'failed') return failed(conversed.reason);
  const turn = await conversed.conversation.prompt([question], { signal });
  const overstep = listener.overstepped();
  if (overstep !== undefined) return failed(`the judge has used ${overstep}, which it may not`);
  return toJudged(turn);
}

function toJudged(turn: Turn): Judged {
  if (turn.kind === 'failed') return failed(turn.reason);
  if (turn.kind === 'cancelled') return failed('the judge was cut off');
  if (turn.stopReason === 'refusal') return failed('the model refused to answer');
  // What it had said by then may be no more than what it quotes.
  if (turn.stopReason !== 'end_turn') return failed(`the judge was cut off (${turn.stopReason})`);
  const answer = readJudgeAnswer(turn.text);
  if (answer.kind === 'none') return failed(`what it said is no {"ok": ..., "reason": ...}: ${answer.why}`);
  return { kind: 'judged', ok: answer.ok, reason: answer.reason };
}

export interface JudgeListener extends AgentListener {
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
