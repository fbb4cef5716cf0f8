import { canRefuse } from '../dialects/wires.ts';
import type { EventResult, HookDefinition } from '../model/index.ts';
import type { SessionSettings } from '../model/record.ts';
import { numberOf, partOf, type StepKey } from '../model/step-key.ts';
import { counted, oneLine, outcomeWords } from '../model/words.ts';
import { askGates, claimOf, markDone, prove } from './done-tasks.ts';
import { nameOf, refusalText } from './fire.ts';
import type { FinishedResult, Loop, Scene } from './loop.ts';
import { SessionEnd } from './session-end.ts';
import { say, type Talk, type Talked } from './turns.ts';

/** Fix attempts where neither the command line nor the hook's file says how many. */
const defaultFixes = 3;

/** Told once in the same conversation: else the next iteration would ask for the same again, without a word of why. */
const reminder = 'The checks passed. Mark the task done, or say what is left.';
const ungated = 'No check is for this task. Mark it done, or say what is left.';

/** Then the agent is told to leave it to them. */
export const areGatesToDecide = (loop: Loop, { engine }: Scene): boolean =>
  loop.settings.doneByGates === true && engine.listensTo('task.completing');

/**
 * Runs the gates of a task until all pass: what the first that fails has to say goes back into the conversation, and all
 * run again. Where they pass and the task is still open the agent is told so once. Contract: rejects with a SessionEnd
 * when the agent has no fix attempt left.
 */
export async function passGates(loop: Loop, talk: Talk, last: Talked): Promise<Talked> {
  const { key, scene } = talk;
  const fixed = await fixUntilPassed(loop, talk, key, 0, last);
  if (fixed.answer.kind === 'failed' || !scene.task) return fixed.answer;
  const claim = await claimNow(loop, scene.task, partOf(key, 'claim'));
  if (claim === 'done') return proven(loop, talk, fixed.answer);
  if (claim !== 'open' || !(fixed.hasGates || areGatesToDecide(loop, scene))) return fixed.answer;
  if (loop.settings.doneByGates && fixed.hasGates) {
    await markDone(loop, scene, scene.task);
    return proven(loop, talk, fixed.answer);
  }
  const reminded = await say(loop, talk, partOf(key, 'reminder'), { text: fixed.hasGates ? reminder : ungated });
  if (reminded.kind === 'failed') return reminded;
  if ((await claimNow(loop, scene.task, partOf(key, 'claim-then'))) !== 'done') return reminded;
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
  let answer = last;
  for (let fixes = from; ; fixes += 1) {
    const gatesKey = partOf(key, `gates${fixes}`);
    const result = await askGates(loop, talk.scene, gatesKey);
    if (result.decision.kind === 'proceed')
      return { answer, fixes, hasGates: result.results.some(ran => ran.status === 'finished' && isGate(loop, ran)) };
    await noteRefusal(loop, talk.scene.task, gatesKey, refusalText(result));
    if (fixes >= allowedFixes(loop, result)) throw new SessionEnd('failed', haltReason(loop, talk, result, fixes));
    answer = await say(loop, talk, partOf(key, `fix${fixes}`), { text: refusalText(result) });
    if (answer.kind === 'failed') return { answer, fixes, hasGates: true };
  }
}

/** A hook that cannot refuse proves nothing by passing. */
function isGate(loop: Loop, { hook: id }: FinishedResult): boolean {
  const hook = hooksOf(loop).find(known => known.id === id);
  return hook !== undefined && canRefuse(hook);
}

/** Whatever was said of the task before, it is not done. */
async function noteRefusal(loop: Loop, task: Scene['task'], key: StepKey, text: string): Promise<void> {
  if (!task) return;
  await loop.durable.value(partOf(key, 'refused'), async () => {
    await loop.durable.changeTask({ kind: 'task.refused', id: task.id, text });
    return true;
  });
}

/** The same after a crash, since what follows depends on it. */
const claimNow = (loop: Loop, { id }: { id: string }, key: StepKey): Promise<ReturnType<typeof claimOf>> =>
  loop.durable.value(key, () => claimOf(loop, id));

async function proven(loop: Loop, { scene }: Talk, answer: Talked): Promise<Talked> {
  await prove(loop, scene, scene.task!);
  return answer;
}

/** Whether a gate that refuses in this run ends the session, since the agent has no fix attempt left. */
export function hasNoFixLeft(settings: SessionSettings, run: StepKey, hook: HookDefinition): boolean {
  const fixes = numberOf(run, 'gates');
  return fixes !== undefined && fixes >= fixesFor(settings, hook);
}

function allowedFixes(loop: Loop, { decision }: EventResult): number {
  const by = decision.kind === 'proceed' ? undefined : decision.by;
  return fixesFor(
    loop.settings,
    hooksOf(loop).find(({ id }) => id === by),
  );
}

const hooksOf = ({ plan, hooks }: Loop): HookDefinition[] => [
  ...plan.stages.flatMap(stage => stage.hooks),
  ...plan.hooks,
  ...hooks,
];

const fixesFor = ({ maxRetries }: SessionSettings, hook: HookDefinition | undefined): number =>
  maxRetries ?? hook?.maxFixes ?? defaultFixes;

function haltReason(
  loop: Loop,
  { scene: { task, stage, iteration } }: Talk,
  result: EventResult,
  fixes: number,
): string {
  const { decision } = result;
  if (decision.kind === 'proceed') return '';
  const refused = result.results.find(
    (hook): hook is FinishedResult => hook.status === 'finished' && hook.hook === decision.by,
  );
  const how = refused ? ` (${howItEnded(refused)})` : '';
  const what = task ? `task ${task.id} "${oneLine(task.content, 80)}"` : `iteration ${iteration} of stage ${stage?.id}`;
  return `${nameOf(loop, decision.by)} failed${how} on ${what}: it ran ${counted(fixes + 1, 'time')}, with ${counted(fixes, 'fix attempt')}`;
}

function howItEnded({ outcome, verdict }: FinishedResult): string {
  if ('stdout' in outcome) return outcomeWords(outcome);
  return verdict.kind === 'passed' ? outcome.kind : oneLine(verdict.reason, 80);
}
