import type { ActionOutcome, ActionRun, DialectWire } from '../model/index.ts';

export interface Attempted {
  outcome: ActionOutcome;
  attempts: number;
  /** Why it failed before it passed. */
  flaky?: string;
}

/** Runs it again at once for as long as it says no. One that could not start has said nothing, and would not the next time. */
export async function attemptFlaky(
  { interpret }: DialectWire,
  act: () => Promise<ActionOutcome>,
  { hook, event, signal }: ActionRun,
  more: number,
): Promise<Attempted> {
  let flaky: string | undefined;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await act();
    const { verdict } = interpret(outcome, hook, event);
    if (verdict.kind === 'passed') return { outcome, attempts, ...(flaky !== undefined && { flaky }) };
    const mayPass = (verdict.kind === 'failed' || verdict.kind === 'rejected') && outcome.kind !== 'not-started';
    if (!mayPass || attempts > more || signal.aborted || outcome.kind === 'cancelled') return { outcome, attempts };
    flaky ??= verdict.reason;
  }
}
