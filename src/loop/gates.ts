import { canRefuse } from '../dialects/gates.ts';
import type { EventResult, HookResult } from '../model/index.ts';
import { partOf, type StepKey } from '../model/step-key.ts';
import { counted, oneLine, outcomeWords } from '../model/words.ts';
import { commitTask } from './commit-task.ts';
import { askGates, claimOf, markDone, prove, setBoxOf } from './done-tasks.ts';
import { fixesFor, refusalText } from './fire.ts';
import type { Loop } from './loop-parts.ts';
import { taskWords } from './open-tasks.ts';
import { hooksOf, nameOf, type Position, type Session } from './session.ts';
import { SessionEnd } from './session-end.ts';
import type { Talk } from './talk.ts';
import { say, type Talked } from './turns.ts';

/** Told once in the same conversation: else the next iteration would ask for the same again, without a word of why. */
const reminder = 'The checks passed. Mark the task done, or say what is left.';
const ungated = 'No check applies to this task. Mark it done, or say what is left.';

/** Then the agent is told to leave it to them. */
export const areGatesToDecide = (session: Session, { engine }: Position): boolean =>
  session.settings.doneByGates === true && engine.listensTo('task.completing');

/**
 * Runs the gates of a task until all pass: what the first that fails has to say goes back into the conversation, and all
 * run again. `key` names all of that. Where they pass and the task is still open the agent is told so once. When the agent has no fix attempt left
 * the task is given up, or, as a rule, the session. Contract: rejects with a SessionEnd then.
 */
export async function passGates(loop: Loop, talk: Talk, last: Talked, key: StepKey = talk.key): Promise<Talked> {
  const { session } = loop;
  const { position } = talk;
  const fixed = await fixUntilPassed(loop, talk, key, 0, last);
  if (fixed.answer.kind !== 'ended' || !position.task) return fixed.answer;
  const claim = await claimNow(session, position.task, partOf(key, 'claim'));
  if (claim === 'done') return proven(loop, talk, fixed.answer);
  if (claim !== 'open' || !(fixed.hasGates || areGatesToDecide(session, position))) return fixed.answer;
  if (session.settings.doneByGates && fixed.hasGates) {
    await markDone(session, position, position.task);
    return proven(loop, talk, fixed.answer);
  }
  const reminded = await say(loop, talk, partOf(key, 'reminder'), { text: fixed.hasGates ? reminder : ungated });
  if (reminded.kind !== 'ended') return reminded;
  if ((await claimNow(session, position.task, partOf(key, 'claim-then'))) !== 'done') return reminded;
  const again = await fixUntilPassed(loop, talk, partOf(key, 'then'), fixed.fixes, reminded);
  return again.answer.kind !== 'ended' ? again.answer : proven(loop, talk, again.answer);
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
    const hasGates = result.results.some(ran => hasPassed(ran) && isGate(session, ran));
    const uncommitted =
      result.decision.kind === 'proceed'
        ? await commitDone(loop, talk.position, gatesKey, { result, hasGates })
        : undefined;
    if (result.decision.kind === 'proceed' && uncommitted === undefined) return { answer, fixes, hasGates };
    const text = uncommitted ?? refusalText(result);
    await noteRefusal(session, talk.position.task, gatesKey, text);
    if (fixes >= allowedFixes(session, result)) {
      const reason = uncommitted ?? haltReason(session, talk, result, fixes);
      if (!talk.position.task || session.rules.onFailure !== 'next') throw new SessionEnd('failed', reason);
      return { answer: { kind: 'given-up', reason }, fixes, hasGates: true };
    }
    session.durable.notes.feedback(gatesKey, text, result);
    answer = await say(loop, talk, partOf(key, `fix${fixes}`), { text });
    if (answer.kind !== 'ended') return { answer, fixes, hasGates: true };
  }
}

/** Now, or before with the same files. */
const hasPassed = (ran: HookResult): boolean =>
  ran.status === 'finished' || (ran.status === 'skipped' && ran.passed === true);

/** Commits the task's work where it is done by now; the result is why that was refused. */
async function commitDone(
  loop: Loop,
  position: Position,
  key: StepKey,
  { result, hasGates }: { result: EventResult; hasGates: boolean },
): Promise<string | undefined> {
  const { session } = loop;
  if (!position.task || session.settings.commitTasks !== true) return undefined;
  const isDone = await session.durable.value(partOf(key, 'done'), async () => {
    const claim = claimOf(session, position.task!.id);
    if (claim === 'open' && session.settings.doneByGates && hasGates) return true;
    return claim === 'done';
  });
  if (!isDone) return undefined;
  // The tick is part of the commit.
  setBoxOf(session, position.task.id, true);
  const refused = await commitTask(loop, position, key, result);
  if (refused !== undefined) setBoxOf(session, position.task.id, false);
  return refused;
}

/** A hook that cannot refuse proves nothing by passing. */
function isGate(session: Session, { hook: id }: HookResult): boolean {
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
  const what = task ? taskWords(task) : `iteration ${iteration} of stage ${stage?.id}`;
  return `${nameOf(session, decision.by)} failed${how} on ${what}: it ran ${counted(fixes + 1, 'time')}, with ${counted(fixes, 'fix attempt')}`;
}

function howItEnded({ outcome, verdict }: FinishedResult): string {
  if ('stdout' in outcome) return outcomeWords(outcome);
  return verdict.kind === 'passed' ? outcome.kind : oneLine(verdict.reason, 80);
}

type FinishedResult = Extract<HookResult, { status: 'finished' }>;
