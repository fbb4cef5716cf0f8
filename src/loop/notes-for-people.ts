import { changedInput } from '../model/changed-call.ts';
import type { EventResult, HookEvent, HookId, HookResult } from '../model/index.ts';
import type { AgentRecord } from '../model/record.ts';
import { formatKey, partOf, type StepKey } from '../model/step-key.ts';
import type { WorkDone } from '../session/state/work.ts';
import type { LiveJournal } from './live-journal.ts';
import type { Recorded } from './recorded.ts';

export type Notes = ReturnType<typeof createNotes>;

/** As much as hooks may say at once. */
const maxToldBytes = 64 * 1024;

/** A project may have a thousand rules, and an agent may call a thousand tools. */
const maxSkipped = 50;

/** Writes down what people ask about later. No one waits for it; what was told before a crash is not told again. */
export function createNotes({ appendSoon, appendKept, state }: LiveJournal, { told }: WorkDone, recorded: Recorded) {
  return {
    recorded,
    /** Its id; undefined if it was told before a crash. */
    event(stepKey: StepKey, event: HookEvent): number | undefined {
      const key = formatKey(stepKey);
      if (told.has(key)) return undefined;
      // A question that was answered is not told again, so after a crash nothing else would know of it.
      const write = event.name === 'approval.requested' ? appendKept : appendSoon;
      write({ kind: 'event', key, event: recorded.event(event) });
      return state().lastSeq;
    },
    /** What became of an event, as far as the results of its hooks do not say it. */
    decided(stepKey: StepKey, { event, decision, results }: EventResult, nameOf: (hook: HookId) => string): void {
      const skipped = results.filter(result => result.status === 'skipped');
      const input = changedInput(decision);
      if (skipped.length === 0 && decision.kind === 'proceed' && input === undefined) return;
      const shown = skipped.slice(0, maxSkipped).map(({ hook, why, passed }) => ({
        ...{ hook, name: nameOf(hook), why },
        ...(passed && { passed }),
      }));
      appendSoon({
        ...{ kind: 'event.decided', key: formatKey(stepKey), event },
        decision: {
          ...decision,
          ...(decision.kind !== 'proceed' && { reason: recorded.text('event.decided', decision.reason).text }),
          ...(input !== undefined && { input: recorded.value('event.decided', input) }),
        },
        skipped: recorded.masked(shown),
        ...(skipped.length > maxSkipped && { moreSkipped: skipped.length - maxSkipped }),
      });
    },
    /** What the agent was sent, said or did; copies of it come from `recorded`. */
    agent: (record: AgentRecord): void => appendSoon(record),
    /** What a conversation has used; `isCounted`: it outlives us from now on. */
    used: (record: AgentRecord, isCounted: boolean): void => (isCounted ? appendKept : appendSoon)(record),
    /** What the hooks of an event have said to the agent, once in the life of the session. */
    feedback(stepKey: StepKey, text: string, { results }: Pick<EventResult, 'results'>): void {
      const key = formatKey(partOf(stepKey, 'told'));
      if (text === '' || told.has(key)) return;
      told.add(key);
      const hooks = results.filter(hasSpoken).map(({ hook }) => hook);
      appendSoon({ kind: 'agent.told', key, hooks, ...recorded.text('agent.told', text, maxToldBytes) });
    },
  };
}

/** It refused, or had something to say. */
const hasSpoken = (result: HookResult): boolean =>
  result.status === 'finished' && (result.decision.kind !== 'proceed' || Boolean(result.feedback));
