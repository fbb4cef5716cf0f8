import {
  type ActionOutcome,
  type ActionRun,
  type ActionRunners,
  type DialectWire,
  fillNames,
  type RuleAction,
  type RunAction,
} from '../model/index.ts';
import type { Attempted } from './attempt-flaky.ts';

/** Runs a hook's action, again after its pause for as long as it fails and may be retried. */
export async function attempt(wire: DialectWire, actions: ActionRunners, run: ActionRun): Promise<Attempted> {
  const { hook, event, signal } = run;
  const { attempts: most, delayMs } = hook.retry ?? { attempts: 1, delayMs: 0 };
  const runner = (rules[hook.action.kind] ?? actions[hook.action.kind]) as RunAction;
  if (hook.flaky !== undefined) {
    const { attemptFlaky } = await import('./attempt-flaky.ts');
    return attemptFlaky(wire, () => runner(hook.action as never, run), run, hook.flaky);
  }
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await runner(hook.action as never, run);
    if (attempts >= most || wire.interpret(outcome, hook, event).verdict.kind !== 'failed')
      return { outcome, attempts };
    const { setTimeout: pause } = await import('node:timers/promises');
    await pause(Math.min(delayMs, 2 ** 31 - 1), undefined, { signal }).catch(() => {});
    // It has tries left, so the one that failed does not say how the hook ends.
    if (signal.aborted) return { outcome: { kind: 'cancelled' }, attempts };
  }
}

const ruled = async ({ text }: RuleAction, { presentation }: ActionRun): Promise<ActionOutcome> => ({
  kind: 'ruled',
  text: fillNames(text, presentation.env),
});

/** What the engine decides by itself. */
export const rules: ActionRunners = { deny: ruled, tell: ruled };
