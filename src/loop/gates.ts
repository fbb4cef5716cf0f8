import { canRefuse } from '../dialects/wires.ts';
import type { EventResult, HookResult } from '../model/index.ts';
import { partOf, type StepKey } from '../model/step-key.ts';
import { counted, oneLine, outcomeWords } from '../model/words.ts';
import { askGates, claimOf, markDone, prove } from './done-tasks.ts';
import { fixesFor, refusalText } from './fire.ts';
import type { Loop } from './loop-parts.ts';
import { hooksOf, nameOf, type Position, type Session } from './session.ts';
import { SessionEnd } from './session-end.ts';
import { say, type Talk, type Talked } from './turns.ts';

/** Told once in the same conversation: else the next iteration would ask for the same again, without a word of why. */
const reminder = 'The checks passed. Mark the task done, or say what is left.';
const ungated = 'No check applies to this task. Mark it done, or say what is left.';

/** Then the agent is told to leave it to them. */
export const areGatesToDecide = (session: Session, { engine }: Position): boolean =>
  session.settings.doneByGates === true && engine.listensTo('task.completing');

/**
 * Runs the gates of a task until all pass: what the first that fails has to say goes back into the conversation, and all
 * run again. Where they pass and the task is still open the agent is told so once. Contract: rejects with a SessionEnd
 * when the agent has no fix attempt left.
 */
export async function passGates(loop: Loop, talk: Talk, last: Talked): Promise<Talked> {
  const { session } = loop;
  const { key, position } = talk;
  const fixed = await fixUntilPassed(loop, talk, key, 0, last);
  if (fixed.answer.kind === 'failed' || !position.task) return fixed.answer;
  const claim = await claimNow(session, position.task, partOf(key, 'claim'));
  if (claim === 'done') return proven(loop, talk, fixed.answer);
  if (claim !== 'open' || !(fixed.hasGates || areGatesToDecide(session, position))) return fixed.answer;
  if (session.settings.doneByGates && fixed.hasGates) {
    await markDone(session, position, position.task);
    return proven(loop, talk, fixed.answer);
  }
  const reminded = await say(loop, talk, partOf(key, 'reminder'), { text: fixed.hasGates ? reminder : ungated });
  if (reminded.kind === 'failed') return reminded;
  if ((await claimNow(session, position.task, partOf(key, 'claim-then'))) !== 'done') return reminded;
  const again = await fixUntilPassed(loop, talk, partOf(key, 'then'), fixed.fixes, reminded);
  return again.answer.kind === 'failed' ? again.answer : proven(loop, talk, again.answer);
}

interface Fixed {
  answer: Talked;
  fixes: number;
  /** Some gate was asked. */
  hasGates: boolean;
}

async function fixUntilPassed(loop: Loop, talk: Talk, key: StepKey, from: number, last: Talked): Promise<Fixed> {
  const { session } = loop;
  let answer = last;
  for (let fixes = from; ; fixes += 1) {
    const gatesKey = partOf(key, `gates${fixes}`);
    const result = await askGates(loop, talk.position, gatesKey);
    if (result.decision.kind === 'proceed')
      return { answer, fixes, hasGates: result.results.some(ran => ran.status === 'finished' && isGate(session, ran)) };
    await noteRefusal(session, talk.position.task, gatesKey, refusalText(result));
    if (fixes >= allowedFixes(session, result))
      throw new SessionEnd('failed', haltReason(session, talk, result, fixes));
    session.durable.notes.feedback(gatesKey, refusalText(result), result);
    answer = await say(loop, talk, partOf(key, `fix${fixes}`), { text: refusalText(result) });
    if (answer.kind === 'failed') return { answer, fixes, hasGates: true };
  }
}

/** A hook that cannot refuse proves nothing by passing. */
function isGate(session: Session, { hook: id }: FinishedResult): boolean {
  const hook = hooksOf(session).find(known => known.id === id);
  return hook !== undefined && canRefuse(hook);
}

/** Whatever was said of the task before, it is not done. */
async function noteRefusal(session: Session, task: Position['task'], key: StepKey, text: string): Promise<void> {
  if (!task) return;
  await session.durable.value(partOf(key, 'refused'), async () => {
    await session.durable.changeTask({ kind: 'task.refused', id: task.id, text });
    return true;
  });
}

/** The same after a crash, since what follows depends on it. */
const claimNow = (session: Session, { id }: { id: string }, key: StepKey): Promise<ReturnType<typeof claimOf>> =>
  session.durable.value(key, () => claimOf(session, id));

async function proven(loop: Loop, { position }: Talk, answer: Talked): Promise<Talked> {
  await prove(loop, position, position.task!);
  return answer;
}

function allowedFixes(session: Session, { decision }: EventResult): number {
  const by = decision.kind === 'proceed' ? undefined : decision.by;
  return fixesFor(
    session.settings,
    hooksOf(session).find(({ id }) => id === by),
  );
}

function haltReason(
  session: Session,
  { position: { task, stage, iteration } }: Talk,
  result: EventResult,
  fixes: number,
): string {
  const { decision } = result;
  if (decision.kind === 'proceed') return '';
  const refused = result.results.find(
    (hook): hook is FinishedResult => hook.status === 'finished' && hook.hook === decision.by,
  );
  const how = refused ? ` (${howItEnded(refused)})` : '';
  const what = task
    ? `task ${isOwnTask(task.id) ? `${task.id} ` : ''}"${oneLine(task.content, 80)}"`
    : `iteration ${iteration} of stage ${stage?.id}`;
  return `${nameOf(session, decision.by)} failed${how} on ${what}: it ran ${counted(fixes + 1, 'time')}, with ${counted(fixes, 'fix attempt')}`;
}

/** Ids of checklists are only marks of their text. */
const isOwnTask = (id: string): boolean => /^T\d+$/.test(id);

function howItEnded({ outcome, verdict }: FinishedResult): string {
  if ('stdout' in outcome) return outcomeWords(outcome);
  return verdict.kind === 'passed' ? outcome.kind : oneLine(verdict.reason, 80);
}

type FinishedResult = Extract<HookResult, { status: 'finished' }>;
