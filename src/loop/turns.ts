import type { Delivery } from '../model/record.ts';
import { partOf, type StepKey } from '../model/step-key.ts';
import { noteReopened } from './done-tasks.ts';
import { agentAtWork, type Fields, refusalText } from './fire.ts';
import { handoverText, takesOver } from './handover.ts';
import { isFinal, throughLimits, wasBegun } from './limited-turns.ts';
import type { Loop } from './loop-parts.ts';
import { tellGone } from './open-tasks.ts';
import { type Position, type Session, warn } from './session.ts';
import type { SentTurn, TurnEnd } from './session-agent.ts';
import { stopIfDue } from './session-end.ts';
import { answerStall } from './stalling.ts';
import type { Talk } from './talk.ts';

/** `before`: what hooks have to say first; it is a block of its own. */
export interface Message {
  before?: string;
  text: string;
}

export type Talked =
  | { kind: 'ended'; text: string }
  | { kind: 'failed'; reason: string }
  /** Its task has failed for this run of the session; the next one goes on. */
  | { kind: 'given-up'; reason: string };

/** How often in a row hooks may send the agent back to work without any progress. */
const maxRefusals = 8;

/** And how often in all, whatever its progress: a hook that is never satisfied must not cost without end. */
const maxRefusalsInAll = 100;

/** Sends a message and waits until the agent may end its turn: while hooks refuse that, their reasons are its next prompt. */
export async function say(
  loop: Loop,
  talk: Talk,
  key: StepKey,
  first: Message,
  takes: readonly Delivery[] = ['next-prompt'],
): Promise<Talked> {
  const { session, fire } = loop;
  let refusals = 0;
  let message = first;
  for (let count = 0; ; count += 1) {
    const turnKey = partOf(key, `t${count}`);
    const dispatching = await fireDispatching(loop, talk.position, turnKey);
    if ('refused' in dispatching) return { kind: 'failed', reason: dispatching.refused };
    const before = joined('\n', message.before, dispatching.said);
    const turn = await prompt(loop, talk, turnKey, { ...message, before }, count === 0 ? takes : ['next-prompt']);
    await noteReopened(session);
    tellGone(session);
    if (turn.kind === 'failed' || turn.kind === 'given-up') return turn;
    if (turn.kind === 'stalled') {
      const answer = await answerStall(loop, talk.position, turnKey, turn);
      if ('givenUp' in answer) return { kind: 'given-up', reason: answer.givenUp };
      if (count >= maxRefusalsInAll) return { kind: 'failed', reason: `no progress: ${turn.evidence}` };
      message = answer;
      continue;
    }
    if (turn.kind === 'stopped') {
      if (refusals >= maxRefusals || count >= maxRefusalsInAll)
        return { kind: 'failed', reason: `the agent keeps calling tools that hooks refuse: ${turn.reason}` };
      refusals += 1;
      message = { text: turn.reason };
      continue;
    }
    if (turn.progressed) refusals = 0;
    const objection = await objectionTo(loop, talk.position, turnKey, {
      message: turn.text,
      ...(count > 0 && { again: true }),
    });
    if (objection !== '' && refusals < maxRefusals && count < maxRefusalsInAll) {
      refusals += 1;
      message = { text: objection };
      continue;
    }
    if (objection !== '') {
      loop.base.holdBack();
      warn(
        session,
        `the agent's turn was sent back ${refusals === maxRefusals ? `${maxRefusals} times without progress` : `${count} times`}; now it may end`,
      );
    }
    await fire(talk.position, 'turn.ended', { key: partOf(turnKey, 'ended'), fields: { message: turn.text } });
    return turn;
  }
}

/** Hooks may refuse to let the agent be called; whatever else they say goes with the prompt. */
async function fireDispatching(
  { session, fire }: Loop,
  position: Position,
  turnKey: StepKey,
): Promise<{ said: string } | { refused: string }> {
  if (!position.engine.listensTo('step.dispatching') || session.durable.isDone(turnKey)) return { said: '' };
  const key = partOf(turnKey, 'dispatching');
  const result = await fire(position, 'step.dispatching', { key });
  if (result.decision.kind === 'proceed') session.durable.notes.feedback(key, result.feedback, result);
  return result.decision.kind === 'proceed' ? { said: result.feedback } : { refused: refusalText(result) };
}

/** Findings of this turn and refusals of its end. The same after a crash, since what follows depends on it. */
async function objectionTo(
  { session, fire }: Loop,
  position: Position,
  turnKey: StepKey,
  fields: Fields,
): Promise<string> {
  const key = partOf(turnKey, 'ending');
  const ending = await fire(position, 'turn.ending', { key, fields });
  session.durable.notes.feedback(key, refusalText(ending), ending);
  return session.durable.value(partOf(turnKey, 'objection'), async () => {
    const held = await session.durable.pending.take(partOf(turnKey, 'held'), ['turn-end']);
    return joined('\n', held, refusalText(ending));
  });
}

async function prompt(
  loop: Loop,
  talk: Talk,
  key: StepKey,
  message: Message,
  takes: readonly Delivery[],
): Promise<TurnEnd> {
  const { session, agent, budgets } = loop;
  const { durable } = session;
  if (durable.isDone(key)) return durable.known(key) as TurnEnd;
  stopIfDue(session, 'turn');
  const over = await budgets.before(talk.position, key);
  if (over) return { kind: 'given-up', ...over, progressed: false };
  let waiting: string | undefined;
  const begun = message.text !== talk.prompt;
  const end = await throughLimits(loop, talk, { key, begun }, async spec => {
    const opened = await agent.open({ ...talk, spec });
    if (opened.kind === 'failed') return opened;
    if (opened.kind === 'limited') {
      const limited = async (attempt: number) => ({ ...opened, progressed: false, attempt });
      return durable.step<SentTurn>(key, limited, isFinal(session, talk, spec));
    }
    waiting ??= await durable.pending.take(partOf(key, 'texts'), takes);
    const said = joined('\n', waiting, message.before);
    const work = async (attempt: number) => {
      const note = await noteBefore(session, talk, { key, attempt, begun, ...opened });
      const all = [joined('\n\n', note, said), message.text].filter(text => text !== '');
      return agent.prompt(all, { key, position: talk.position, attempt });
    };
    return durable.step<SentTurn>(key, work, isFinal(session, talk, spec));
  });
  if (end.kind === 'ended') budgets.checkReported(agent.idOf(talk.key), agentAtWork(session, talk.position));
  stopIfDue(session, 'turn');
  return end;
}

interface Sending {
  key: StepKey;
  attempt: number;
  begun: boolean;
  isNew: boolean;
  anew: boolean;
}

/** What an agent has to know of work that was begun before, by itself or by another. */
async function noteBefore(
  session: Session,
  talk: Talk,
  { key, attempt, begun, isNew, anew }: Sending,
): Promise<string> {
  const task = begun ? talk.prompt : undefined;
  if (takesOver(session, talk.key, isNew)) return handoverText(session, talk, task);
  if (anew && task !== undefined) return lost(task);
  return !isNew && wasBegun(session, key, attempt) ? cutOff : '';
}

const joined = (separator: string, ...texts: readonly (string | undefined)[]): string =>
  texts.filter(Boolean).join(separator);

const cutOff =
  'The session was cut off while you worked on the following. Look at what is done already and go on from there.';

const lost = (prompt: string): string =>
  `The conversation in which you worked on this is lost. This was your task:\n\n${prompt}`;
