import type { AgentPort, Turn } from '../../model/agent.ts';
import { type CutOff, limitOf } from '../process/limit.ts';
import { createJudgeListener } from './judge-listener.ts';
import type { JudgeTools } from './judge-question.ts';

export interface AgentQuestion {
  agent: AgentPort;
  question: string;
  tools: JudgeTools;
  /** What reasons call it (default: the judge). */
  who?: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** null: no limit. */
  timeoutMs: number | null;
  signal: AbortSignal;
  /** What is asked next in the same conversation, after an answer that will not do; absent: nothing. */
  next?(answer: string): string | undefined;
}

type AgentAnswer =
  | { kind: 'answer'; text: string }
  | { kind: 'no-answer'; reason: string }
  | { kind: 'not-started'; reason: string }
  | CutOff;

/** Asks an agent of its own in a conversation of its own. Contract: never rejects; what it may not do counts as no answer. */
export async function askAgent(asked: AgentQuestion): Promise<AgentAnswer> {
  if (asked.signal.aborted) return { kind: 'cancelled' };
  const limit = limitOf(asked);
  try {
    const answer = await converse(asked, limit.signal);
    return limit.cutOff() ?? answer;
  } catch (error) {
    return limit.cutOff() ?? noAnswer(String(error));
  } finally {
    limit.clear();
  }
}

const noAnswer = (reason: string): AgentAnswer => ({ kind: 'no-answer', reason });

async function converse(
  { agent, question, tools, who = 'the judge', cwd, env, next }: AgentQuestion,
  signal: AbortSignal,
): Promise<AgentAnswer> {
  const listener = createJudgeListener(tools);
  const started = await agent.start({ cwd, env, listener, mcpServers: [], signal });
  if (started.kind === 'unavailable')
    return { kind: 'not-started', reason: [started.reason, started.hint].filter(Boolean).join('; ') };
  if (started.kind === 'failed') return { kind: 'not-started', reason: started.reason };
  try {
    const conversed = await started.agent.converse();
    if (conversed.kind !== 'open')
      return conversed.kind === 'limited' ? toAnswer(conversed, who) : noAnswer(conversed.reason);
    for (let text = question; ; ) {
      const turn = await conversed.conversation.prompt([text], { signal });
      const overstep = listener.overstepped();
      if (overstep !== undefined) return noAnswer(`${who} used ${overstep}, which it is not allowed to`);
      const answer = toAnswer(turn, who);
      const again = answer.kind === 'answer' ? next?.(answer.text) : undefined;
      if (again === undefined) return answer;
      text = again;
    }
  } finally {
    await started.agent.stop();
  }
}

function toAnswer(turn: Turn, who: string): AgentAnswer {
  if (turn.kind === 'failed') return noAnswer(turn.reason);
  if (turn.kind === 'limited')
    return noAnswer(`${who} is limited${turn.until === undefined ? '' : ` until ${turn.until}`}: ${turn.reason}`);
  if (turn.kind === 'cancelled') return noAnswer(`${who} was cut off`);
  if (turn.stopReason === 'refusal') return noAnswer('the model refused to answer');
  // What it had said by then may be no more than what it quotes.
  if (turn.stopReason !== 'end_turn') return noAnswer(`${who} was cut off (${turn.stopReason})`);
  return { kind: 'answer', text: turn.text };
}
