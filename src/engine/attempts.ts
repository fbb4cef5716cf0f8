import type {
  ActionOutcome,
  ActionRun,
  ActionRunners,
  DialectWire,
  HookDefinition,
  HookEvent,
  Interpretation,
  RunAction,
} from '../model/index.ts';

export interface Attempted {
  outcome: ActionOutcome;
  reading: Interpretation;
  attempts: number;
}

/** Runs a hook's action, again after its pause for as long as it fails and may be retried; `cancelled` where it still might. */
export async function attempt(
  hook: HookDefinition,
  event: HookEvent,
  wire: DialectWire,
  actions: ActionRunners,
  run: ActionRun,
): Promise<Attempted> {
  const most = hook.retry?.attempts ?? 1;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await runOnce(hook, actions, run);
    const reading = wire.interpret(outcome, hook, event);
    if (reading.verdict.kind !== 'failed' || attempts >= most) return { outcome, reading, attempts };
    if (!run.signal.aborted) await pause(hook.retry?.delayMs ?? 0, run.signal);
    if (run.signal.aborted) return cutShort(hook, event, wire, attempts);
  }
}

/** It has tries left, so the one that failed does not say how the hook ends. */
function cutShort(hook: HookDefinition, event: HookEvent, wire: DialectWire, attempts: number): Attempted {
  const outcome = { kind: 'cancelled' } as const;
  return { outcome, reading: wire.interpret(outcome, hook, event), attempts };
}

function runOnce(hook: HookDefinition, actions: ActionRunners, run: ActionRun): Promise<ActionOutcome> {
  const runner = actions[hook.action.kind] as RunAction;
  return runner(hook.action as never, run);
}

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(delayMs, 2 ** 31 - 1));
    signal.addEventListener('abort', done, { once: true });
  });
}
