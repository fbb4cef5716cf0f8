import type { AgentPort, RunningAgent, Turn } from '../../model/agent.ts';
import { type CutOff, limitOf } from '../process/cancel.ts';
import { readJudgeAnswer } from './answer.ts';
import { createJudgeListener, type JudgeListener, type JudgeTools } from './tools.ts';

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
