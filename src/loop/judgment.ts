import type { StagePlan } from '../model/pipeline.ts';
import { partOf } from '../model/step-key.ts';
import { readRegularFile } from '../platform/files.ts';
import { iterationPaths } from '../session/paths.ts';
import type { IterationOptions } from './iteration.ts';
import type { JudgeAnswer, Loop } from './loop.ts';
import { SessionEnd } from './session-end.ts';

const maxOutputBytes = 16 * 1024 * 1024;

/** Whether a judge decides in place of the agent when the stage is done. */
export const isJudged = (loop: Loop, { termination }: StagePlan): boolean => judgeOf(loop, termination) !== undefined;

/** The iteration's vote: the agent's own, or that of the judge who ends the stage. A judge without an answer does not end it. */
export async function voteOf(
  loop: Loop,
  { key, scene }: IterationOptions,
  { own, prompt }: { own: 'continue' | 'stop'; prompt: string },
): Promise<'continue' | 'stop'> {
  const { stage, iteration, maxIterations } = scene;
  const asked = judgeOf(loop, stage.termination);
  if (!asked) return own;
  const { judge, askJudge } = asked;
  const answer = await loop.durable.step<JudgeAnswer>(partOf(key, 'judged'), async () => {
    const { output: outputFile } = iterationPaths(loop.paths, stage, iteration);
    const found = readRegularFile(outputFile, maxOutputBytes);
    const output = found.kind === 'bytes' ? found.bytes.toString() : '';
    const facts = { stage: stage.id, iteration, maxIterations, prompt, output, outputFile };
    const said = await askJudge(judge, facts, loop.stop);
    if (loop.stop.aborted) throw new SessionEnd('interrupted', 'while a judge was asked');
    return said.kind === 'judged' ? { ...said, reason: loop.mask(said.reason) } : said;
  });
  if (answer.kind === 'failed') {
    const text = `the judge of stage ${stage.id} gave no answer, so it goes on: ${loop.mask(answer.reason)}`;
    loop.watcher.remark({ level: 'warning', text });
    return 'continue';
  }
  const text = `the judge of stage ${stage.id} says ${answer.ok ? 'done' : 'not done'}: ${answer.reason}`;
  loop.watcher.remark({ level: 'info', text });
  return answer.ok ? 'stop' : 'continue';
}

function judgeOf(
  { askJudge }: Loop,
  termination: StagePlan['termination'],
): { judge: string; askJudge: NonNullable<Loop['askJudge']> } | undefined {
  if (termination.type !== 'judgment' || termination.judge === undefined || !askJudge) return undefined;
  return { judge: termination.judge, askJudge };
}
