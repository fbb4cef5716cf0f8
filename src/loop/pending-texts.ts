import { replacedOutputText } from '../model/changed-call.ts';
import type { EventName, HookDefinition, HookEvent, HookResult } from '../model/index.ts';
import type { Delivery, Pending } from '../model/record.ts';
import { firingOf, formatKey, parseKey, type StepKey } from '../model/step-key.ts';
import type { PendingText, WorkDone } from '../session/state/work.ts';
import type { LiveJournal } from './live-journal.ts';

/** What the agent has still to hear, from this process and those before it. A text is on disk before it waits here. */
export function createPendingTexts({ append, appendSoon }: LiveJournal, { done, pending }: WorkDone) {
  let waiting: PendingText[] = pending;
  const heard = new Set<string>();
  return {
    /** What has to wait of the result of a hook's run. */
    unheardOf(run: StepKey, event: HookEvent, result: HookResult, hook: HookDefinition): Pending | undefined {
      const isRefused = result.status === 'finished' && result.decision.kind !== 'proceed';
      if (isRefused && heard.has(formatKey(firingOf(run)))) return undefined;
      const isAnswered = heard.has(formatKey(firingOf(run)));
      const late = hook.wait ? undefined : lateOf(hook, result);
      const unheard = hook.wakes ? late : (pendingOf(event, result, isAnswered) ?? late);
      // A hook that is asked again, since another has changed the input, says the same again.
      const isTold = (told: PendingText): boolean => {
        const before = parseKey(told.key);
        return told.text === unheard?.text && before.hook === run.hook && isSameFiring(before, run);
      };
      return waiting.some(isTold) ? undefined : unheard;
    },
    /** For what is on disk already. */
    add: (text: PendingText): void => void waiting.push(text),
    /** Refusals of this firing reach the agent at once, so none of them is pending. */
    expectNone: (key: StepKey): void => void heard.add(formatKey(key)),
    /** For what the agent has to hear besides the results of hooks. */
    async tellWithNextPrompt(stepKey: StepKey, text: string): Promise<void> {
      const key = formatKey(stepKey);
      const added: Pending = { goesWith: 'next-prompt', text };
      const seq = await append({ kind: 'step.done', key, pending: added });
      waiting.push({ seq, key, ...added });
    },
    hasAny: (from: readonly Delivery[]): boolean => waiting.some(({ goesWith }) => from.includes(goesWith)),
    /** All that waits for these prompts, as one text; then it no longer waits. */
    async take(stepKey: StepKey, from: readonly Delivery[]): Promise<string> {
      const key = formatKey(stepKey);
      if (done.has(key)) return done.get(key) as string;
      const due = waiting.filter(({ goesWith }) => from.includes(goesWith));
      if (due.length === 0) return '';
      const text = due.map(each => each.text).join('\n');
      waiting = waiting.filter(each => !due.includes(each));
      const hooks = due.flatMap(each => parseKey(each.key).hook ?? []);
      appendSoon({ kind: 'pending.taken', key, upTo: due.at(-1)!.seq, from, text, hooks: [...new Set(hooks)] });
      return text;
    },
  };
}

const isSameFiring = (one: StepKey, other: StepKey): boolean => formatKey(firingOf(one)) === formatKey(firingOf(other));

/** The protocol has no room for a reason, and an agent that does not know it would try again. */
export const refusedCallText = ({ tool = 'a tool' }: HookEvent, reason: string): string =>
  `Refused: ${tool}. ${reason}`;

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
function pendingOf(event: HookEvent, result: HookResult, isAnswered: boolean): Pending | undefined {
  const delivery = goesWith[event.name];
  if (delivery === undefined || result.status !== 'finished') return undefined;
  const { decision, output } = result;
  // The agent's own hooks take another output, its protocol does not.
  const instead = output === undefined || isAnswered ? '' : replacedOutputText(event.tool, output);
  const feedback = [instead, result.feedback ?? ''].filter(text => text !== '').join('\n');
  if (decision.kind === 'proceed' || decision.kind === 'abort')
    return feedback === '' ? undefined : { goesWith: delivery, text: feedback };
  if (decision.kind === 'block' && decision.ask) return undefined;
  const text = feedback || decision.reason;
  if (heldUp.has(event.name)) return { goesWith: 'turn-end', text };
  return { goesWith: delivery, text: event.name === 'tool.calling' ? refusedCallText(event, text) : text };
}

/** What a hook that no one waited for has to say, whatever its event was. */
function lateOf({ wakes }: HookDefinition, result: HookResult): Pending | undefined {
  if (result.status !== 'finished' || !result.feedback) return undefined;
  return { goesWith: wakes ? 'turn-end' : 'next-prompt', text: result.feedback };
}
