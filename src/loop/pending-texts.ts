import type { EventName, HookEvent, HookResult } from '../model/index.ts';
import type { Delivery, Pending } from '../model/record.ts';

/**
 * Where the output of a hook goes that is not for the prompt about to be sent. What happens in a turn is told with
 * whatever prompt comes next; what happens between iterations, with the next iteration's.
 */
const goesWith: Partial<Readonly<Record<EventName, Delivery>>> = {
  'session.starting': 'next-iteration',
  'plan.completed': 'next-iteration',
  'stage.starting': 'next-iteration',
  'stage.completed': 'next-iteration',
  'iteration.completed': 'next-iteration',
  'task.completed': 'next-iteration',
  'score.recorded': 'next-iteration',
  'turn.ended': 'next-prompt',
  'tool.calling': 'next-prompt',
  'permission.requesting': 'next-prompt',
  'branch.creating': 'next-prompt',
  'commit.creating': 'next-prompt',
  'tool.called': 'next-prompt',
  'tool.failed': 'next-prompt',
  'file.edited': 'next-prompt',
};

/** A finding about something the agent has just done is for now: the turn does not end before it was dealt with. */
const heldUp: ReadonlySet<EventName> = new Set(['tool.called', 'tool.failed', 'file.edited']);

/** What the agent has to be told of a hook's result later on. Of what is left to a person it hears when that person has spoken. */
export function pendingOf(event: HookEvent, result: HookResult): Pending | undefined {
  const delivery = goesWith[event.name];
  if (delivery === undefined || result.status !== 'finished') return undefined;
  const { decision, feedback = '' } = result;
  if (decision.kind === 'proceed' || decision.kind === 'abort')
    return feedback === '' ? undefined : { goesWith: delivery, text: feedback };
  if (decision.kind === 'block' && decision.ask) return undefined;
  const text = feedback || decision.reason;
  if (heldUp.has(event.name)) return { goesWith: 'turn-end', text };
  return { goesWith: delivery, text: event.name === 'tool.calling' ? refusedCallText(event, text) : text };
}

/** The protocol has no room for a reason, and an agent that does not know it would try again. */
export const refusedCallText = ({ tool = 'a tool' }: HookEvent, reason: string): string =>
  `Refused: ${tool}. ${reason}`;
