import { createChangeWatch } from '../agents/changes.ts';
import { questionWaitMs } from '../model/duration.ts';
import { formatKey, partOf, type StepKey } from '../model/step-key.ts';
import { counted, oneLine } from '../model/words.ts';
import { isInCi } from '../platform/ci.ts';
import { taskOfKey } from '../session/state/consumed.ts';
import { askPerson } from './ask-person.ts';
import { refusalText } from './fire.ts';
import type { Loop } from './loop-parts.ts';
import { taskWords } from './open-tasks.ts';
import type { Position, Session } from './session.ts';
import { endedIn, SessionEnd } from './session-end.ts';
import { hashOf, type Stall } from './stall-watch.ts';

/**
 * What follows from a sign of no progress: the first time words for the agent, in the same conversation; the second time
 * its task is given up, the session stops, or a person decides. The same after a crash.
 * Contract: throws a SessionEnd where the session ends.
 */
export async function answerStall(
  { session, fire }: Loop,
  position: Position,
  key: StepKey,
  { reason, evidence }: Stall,
): Promise<{ text: string } | { givenUp: string }> {
  const { durable, rules, run } = session;
  const stalls = (): number => {
    const { consumed } = durable.state();
    return consumed.stalls.get(taskOfKey(consumed, formatKey(key))) ?? 0;
  };
  const before = await durable.value(partOf(key, 'stalls'), stalls);
  const eventKey = partOf(key, 'stalling');
  const result = await fire(position, 'session.stalling', { key: eventKey, fields: { reason, evidence } });
  const refusal = refusalText(result);
  const text = refusal || noProgress(evidence);
  durable.notes.feedback(eventKey, before === 0 ? text : refusal, result);
  if (before === 0 || rules.stall === 'off') return { text };
  const end = `no progress: ${oneLine(evidence, 300)}`;
  if (rules.stall.answer === 'next') return { givenUp: end };
  if (rules.stall.answer === 'ask') return askWhether(session, position, partOf(key, 'asked'), { evidence, text, end });
  // Whoever resumes the session wants it to go on.
  const stoppedIn = await durable.value(partOf(key, 'stopped'), () => run.number);
  if (stoppedIn === run.number) throw new SessionEnd('stopped', end, { because: 'no-progress' });
  return { text };
}

const noProgress = (evidence: string): string =>
  `You are making no progress: ${evidence}. Do not do the same again. Look at why it does not help, and try another way; if nothing is left to try, say what stands in the way and stop.`;

async function askWhether(
  session: Session,
  position: Position,
  key: StepKey,
  { evidence, text, end }: { evidence: string; text: string; end: string },
): Promise<{ text: string } | { givenUp: string }> {
  const { durable, mask, stop, env } = session;
  const { task } = position;
  const said = await durable.value<{ goesOn: boolean; message: string }>(key, async () => {
    if (isInCi(env)) return { goesOn: false, message: '' };
    const about = task ? ` on ${taskWords(task)}` : '';
    const question = mask(`The agent makes no progress${about}: ${evidence}. Shall it go on? (no: it is given up)`);
    const asked = { key: formatKey(key), title: 'No progress', question, timeoutMs: questionWaitMs };
    const answer = await askPerson(session, position, asked, stop);
    if (stop.aborted) throw endedIn(session, 'while a person was asked about no progress');
    return {
      goesOn: answer?.kind === 'answered' && answer.approved,
      message: answer?.kind === 'answered' ? mask(answer.message) : '',
    };
  });
  return said.goesOn ? { text: said.message.trim() || text } : { givenUp: end };
}

/** An iteration that changed nothing, and what it ended with. */
export interface Quiet {
  task: string;
  said: string;
  /** How many there were in a row. */
  count: number;
}

/** Whether an iteration changes anything; its files are looked at only where the one before it on the same task changed nothing. */
export function watchQuiet(
  session: Session,
  key: StepKey,
  task: { id: string } | undefined,
  before: Quiet | undefined,
) {
  const { durable, settings, stop, rules } = session;
  const isWatched = rules.stall !== 'off' && task !== undefined;
  const isDoubted = isWatched && before?.task === task.id;
  const watch = isDoubted ? createChangeWatch(settings.root, () => stop) : undefined;
  return {
    begin: async (): Promise<void> => watch?.begin(),
    /** Undefined where something changed, nothing was said, or the task is done. */
    async end(text: string, isOpen: () => boolean): Promise<{ quiet?: Quiet; stall?: Stall }> {
      if (!isWatched || rules.stall === 'off' || text.trim() === '') return {};
      const { iterations } = rules.stall;
      const isQuiet = await durable.value(partOf(key, 'quiet'), async () => {
        const isChanged = durable.state().consumed.changed.has(formatKey({ ...key, parts: [] }));
        return !isChanged && isOpen() && ((await watch?.changedSince()) ?? []).length === 0;
      });
      if (!isQuiet) return {};
      const said = hashOf(text);
      const count = isDoubted && before.said === said ? before.count + 1 : 1;
      if (count < iterations) return { quiet: { task: task.id, said, count } };
      const evidence = `${counted(count, 'iteration')} in a row changed nothing and ended with the same words: "${oneLine(text, 200)}"`;
      return { stall: { reason: 'the same answer again and again', evidence } };
    },
  };
}
