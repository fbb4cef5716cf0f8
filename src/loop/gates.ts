import type { EventResult, HookDefinition } from '../model/index.ts';
import type { SessionSettings } from '../model/record.ts';
import { fire, nameOf, refusalText } from './fire.ts';
import type { FinishedResult, Loop } from './loop.ts';
import { SessionEnd } from './session-end.ts';
import { say, type Talk, type Talked } from './turns.ts';

/** Fix attempts where neither the command line nor the hook's file says how many. */
const defaultFixes = 3;

/**
 * Runs the gates of a task until all pass: what the first that fails has to say goes back into the conversation, and all
 * run again. Contract: rejects with a SessionEnd when the agent has no fix attempt left.
 */
export async function passGates(loop: Loop, talk: Talk, last: Talked): Promise<Talked> {
  let answer = last;
  for (let fixes = 0; ; fixes += 1) {
    const result = await checked(loop, talk, gatesKey(talk.key, fixes));
    if (result.decision.kind === 'proceed') return answer;
    if (fixes >= allowedFixes(loop, result)) throw new SessionEnd('failed', haltReason(loop, talk, result, fixes));
    answer = await say(loop, talk, `${talk.key}/fix${fixes}`, { text: refusalText(result) });
    if (answer.kind === 'failed') return answer;
  }
}

const checked = (loop: Loop, { scene }: Talk, key: string): Promise<EventResult> =>
  whileChecking(loop, scene.task?.id, () => fire(loop, scene, 'task.completing', { key }));

const gatesKey = (iteration: string, fixes: number): string => `${iteration}/gates${fixes}`;

/** Whether a gate that refuses in this run ends the session, since the agent has no fix attempt left. */
export function hasNoFixLeft(settings: SessionSettings, key: string, hook: HookDefinition): boolean {
  const fixes = /\/gates(\d+)#/.exec(key)?.[1];
  return fixes !== undefined && Number(fixes) >= fixesFor(settings, hook);
}

/** A gate that marks its own task as done would wait for itself. */
export async function whileChecking<T>({ here }: Loop, task: string | undefined, check: () => Promise<T>): Promise<T> {
  if (task === undefined) return check();
  here.checking.add(task);
  try {
    return await check();
  } finally {
    here.checking.delete(task);
  }
}

function allowedFixes(loop: Loop, { decision }: EventResult): number {
  const by = decision.kind === 'proceed' ? undefined : decision.by;
  const hooks = [...loop.plan.stages.flatMap(stage => stage.hooks), ...loop.plan.hooks, ...loop.hooks];
  return fixesFor(
    loop.settings,
    hooks.find(({ id }) => id === by),
  );
}

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
  const how = refused ? ` (${sayOutcome(refused)})` : '';
  const what = task ? `task ${task.id} "${shorten(task.content)}"` : `iteration ${iteration} of stage ${stage?.id}`;
  const times = fixes + 1 === 1 ? '1 time' : `${fixes + 1} times`;
  return `${nameOf(loop, decision.by)} failed${how} on ${what}: it ran ${times}, with ${fixes} fix ${
    fixes === 1 ? 'attempt' : 'attempts'
  }`;
}

function sayOutcome({ outcome, verdict }: FinishedResult): string {
  if (outcome.kind === 'exited') return `exit code ${outcome.exitCode}`;
  if (outcome.kind === 'timed-out') return `timed out after ${outcome.afterMs / 1000} s`;
  if (outcome.kind === 'killed') return `killed by ${outcome.signal}`;
  return verdict.kind === 'passed' ? outcome.kind : shorten(verdict.reason);
}

const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
};
