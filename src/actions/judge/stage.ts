import type { AgentPort } from '../../model/agent.ts';
import type { StageFacts } from '../../model/pipeline.ts';
import { askJudge } from './ask.ts';
import { stageQuestion } from './question.ts';

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
