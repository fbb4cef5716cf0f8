import { carrying, isOpen, isSameInput, withInput } from '../model/changed-call.ts';
import type { Decision, HookEvent, HookResult } from '../model/index.ts';
import { changedKey } from '../model/step-key.ts';
import type { Firing, PlannedHook } from './run-hook.ts';

/**
 * Follows the input of a tool call through the hooks that change it. Hooks after a change are asked about what it has
 * become, and those before it are asked again, so that every answer is about the input that the call has in the end. Each
 * hook changes it once: two that add something would never come to an end.
 */
export function followInput(first: Firing) {
  let firing = first;
  let version = 0;
  /** The version that a hook, by its index, was asked about or has made. */
  const known: number[] = [];
  const changers = new Set<number>();
  return {
    changes: (): number => version,
    /** The firing as this hook gets it. */
    ask({ index }: PlannedHook): Firing {
      known[index] = version;
      return firing;
    },
    answered(index: number, result: HookResult): void {
      if (first.fixedInput || result.status !== 'finished' || result.input === undefined || !isOpen(result.decision))
        return;
      // Of hooks that ran side by side only the first has changed what the others were asked about: they are asked again.
      if (known[index] !== version || changers.has(index) || isSameInput(result.input, firing.event.input)) return;
      changers.add(index);
      version += 1;
      known[index] = version;
      firing = next(first, withInput(firing.event, result.input), version);
    },
    /** Whether its answer is about another input than the one that holds. What no one waits for is not started twice. */
    isDue: ({ index, hook }: PlannedHook, results: readonly (HookResult | undefined)[]): boolean =>
      known[index] !== version && (hook.wait || results[index]?.status !== 'detached'),
    /** The decision, with the input where it was changed. */
    carriedBy: (decision: Decision): Decision => (version === 0 ? decision : carrying(decision, firing.event.input)),
  };
}

/** What runs again in a session has a key of its own. */
const next = (first: Firing, event: HookEvent, version: number): Firing => ({
  ...first,
  event,
  key: first.key === undefined ? undefined : changedKey(first.key, version),
});
