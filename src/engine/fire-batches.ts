import { isOpen } from '../model/changed-call.ts';
import {
  type Decision,
  type DialectWire,
  type EventResult,
  type HookId,
  type HookResult,
  isPending,
  proceed,
  strictest,
} from '../model/index.ts';
import { followInput } from './follow-input.ts';
import { type Firing, type PlannedHook, runHook } from './run-hook.ts';

/** Hooks that run under one rule. Batches of an event run one after another. */
export interface Batch {
  order: DialectWire['order'];
  hooks: PlannedHook[];
}

/** Fires an event through its hooks; again through those that were asked about another input than the one that holds in the end. */
export async function fireBatches(batches: readonly Batch[], firing: Firing): Promise<EventResult> {
  const results: HookResult[] = [];
  const input = followInput(firing);
  let decision: Decision = proceed;
  const nameOf = (id: HookId): string =>
    batches.flatMap(({ hooks }) => hooks).find(({ hook }) => hook.id === id)?.hook.name ?? id;
  const take = (index: number, result: HookResult): void => {
    const isAnswered = results[index] !== undefined;
    results[index] = result;
    if (isAnswered) decision = strictest(results.flatMap(decisionsOf));
    else if (result.status === 'finished' && result.decision !== proceed)
      decision = strictest([decision, result.decision]);
    input.answered(index, result);
  };
  const pass = async (): Promise<void> => {
    for (const { order, hooks } of batches) {
      const due = input.changes() === 0 ? hooks : hooks.filter(planned => input.isDue(planned, results));
      if (order === 'side-by-side') {
        const stopped = whyStopped(decision, order, firing, nameOf);
        const ended = await Promise.all(due.map(planned => runHook(planned, input.ask(planned), stopped)));
        for (const [at, result] of ended.entries()) take(due[at]!.index, result);
        continue;
      }
      for (const planned of due) {
        const own = planned.hook.always ? 'all-in-order' : order;
        const result = runHook(planned, input.ask(planned), whyStopped(decision, own, firing, nameOf));
        take(planned.index, result instanceof Promise ? await result : result);
      }
    }
  };
  const isAnyDue = (): boolean => batches.some(({ hooks }) => hooks.some(planned => input.isDue(planned, results)));
  await pass();
  while (input.changes() > 0 && isOpen(decision) && isAnyDue()) await pass();
  const feedback = results
    .flatMap(result => (result.status === 'finished' && result.feedback ? [result.feedback] : []))
    .join('\n');
  const decided = withOutput(input.carriedBy(decision), results);
  return { event: firing.event.name, decision: decided, feedback, results };
}

/** The last hook that wants the agent to see something else than what the tool gave back. */
function withOutput(decision: Decision, results: readonly HookResult[]): Decision {
  if (decision.kind !== 'proceed') return decision;
  const output = results.findLast(result => result.status === 'finished' && result.output !== undefined);
  return output?.status === 'finished' ? { ...decision, output: output.output } : decision;
}

const decisionsOf = (result: HookResult | undefined): Decision[] =>
  result?.status === 'finished' ? [result.decision] : [];

/**
 * A refusal ends the hooks after it; dialects that promise to run all of theirs still do, unless the session is over. What
 * has happened a hook can only send back, so the hooks after it run as well: one of them may end the session.
 */
function whyStopped(
  decision: Decision,
  order: DialectWire['order'],
  { event }: Firing,
  nameOf: (id: HookId) => string,
): string | undefined {
  // Whoever asks in our place may hear a yes, which must not carry what a later hook refuses.
  if (isOpen(decision)) return undefined;
  if (decision.kind !== 'abort' && (order !== 'in-order' || !isPending(event.name))) return undefined;
  const what = decision.kind === 'abort' ? 'had already ended the session' : 'had already refused';
  return `"${nameOf(decision.by)}" ${what}`;
}
