import { diffStat } from '../agents/listing.ts';
import { capText } from '../model/cut-text.ts';
import { formatKey, type StepKey } from '../model/step-key.ts';
import { agentName, agentSpecsOf, type Session, stageOf } from './session.ts';
import type { Talk } from './talk.ts';

/** Whether an agent has still to hear that it goes on with the work of another. `isNew`: so is its conversation. */
export function takesOver(session: Session, iteration: StepKey, isNew: boolean): boolean {
  const { worker } = session.durable.state().pauses;
  if (worker?.key !== formatKey(iteration) || worker.from === undefined || !worker.begun) return false;
  // Whoever was to go on with its work may have been limited at once: then it is still its own.
  return isNew || (!worker.told && doerOf(session, iteration) !== worker.agent);
}

/** Who did something last in an iteration, if that is known. */
function doerOf(session: Session, iteration: StepKey): string | undefined {
  const { doer } = session.durable.state().pauses;
  if (doer?.key !== formatKey(iteration)) return undefined;
  return doer.agent ?? session.mask(agentSpecsOf(session, stageOf(session, iteration))[0]);
}

/** What an agent has to know that goes on with the work of another. `task`: where the prompt behind it does not say it. */
export async function handoverText(
  session: Session,
  { key, position }: Talk,
  task: string | undefined,
): Promise<string> {
  const { durable, settings, stop } = session;
  const { worker, said } = durable.state().pauses;
  const doer = doerOf(session, key);
  const before = agentName((doer === worker?.agent ? undefined : doer) ?? worker?.from ?? 'another agent');
  const refusal = position.task && durable.tasks().refusals.get(position.task.id);
  const stat = await diffStat(settings.root, stop);
  const parts = [
    `${before} worked on this before you and cannot go on for now. Look at what is done already and go on from there.`,
    task === undefined ? '' : `This is the task:\n\n${task}`,
    said?.key === formatKey(key) ? `What ${before} said last:\n\n${capText(said.text, maxBytes)}` : '',
    refusal === undefined ? '' : `What the checks said last:\n\n${capText(refusal, maxBytes)}`,
    stat === '' ? '' : `What has changed since the last commit:\n\n${capText(stat, maxBytes)}`,
  ];
  return parts.filter(part => part !== '').join('\n\n');
}

const maxBytes = 4096;
