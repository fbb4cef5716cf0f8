import type { EventResult, HookEvent, HookResult } from '../model/index.ts';
import type { AgentRecord } from '../model/record.ts';
import { formatKey, partOf, type StepKey } from '../model/step-key.ts';
import type { WorkDone } from '../session/state/work.ts';
import type { LiveJournal } from './live-journal.ts';
import type { Recorded } from './recorded.ts';

export type Notes = ReturnType<typeof createNotes>;

/** As much as hooks may say at once. */
const maxToldBytes = 64 * 1024;

/** Writes down what people ask about later. No one waits for it; what was told before a crash is not told again. */
export function createNotes({ appendSoon, appendKept }: LiveJournal, { told }: WorkDone, recorded: Recorded) {
  return {
    recorded,
    /** False if it was told before a crash. */
    event(stepKey: StepKey, event: HookEvent): boolean {
      const key = formatKey(stepKey);
      if (told.has(key)) return false;
      // A question that was answered is not told again, so after a crash nothing else would know of it.
      const write = event.name === 'approval.requested' ? appendKept : appendSoon;
      write({ kind: 'event', key, event: recorded.event(event) });
      return true;
    },
    /** What the agent was sent, said or did; copies of it come from `recorded`. */
    agent: (record: AgentRecord): void => appendSoon(record),
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
