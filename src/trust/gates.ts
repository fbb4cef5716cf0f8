import { wires } from '../dialects/wires.ts';
import { type ActionOutcome, decide, type HookDefinition } from '../model/index.ts';
import { guardedEvents } from './guarded.ts';

/** Whether a hook can refuse one of these events; its own dialect knows. */
export const isGate = (hook: HookDefinition): boolean =>
  guardedEvents.has(hook.event) && hook.wait && refusalOf(hook, 'no') !== undefined;

/** An outcome that this hook's dialect takes for a no. */
export function refusalOf(hook: HookDefinition, reason: string): ActionOutcome | undefined {
  const wire = wires.find(({ name }) => name === hook.source.dialect)!;
  return outcomesWith(reason).find(outcome => {
    const { verdict } = wire.interpret(outcome, hook, { name: hook.event });
    return decide(verdict, outcome, hook).kind !== 'proceed';
  });
}

/** The ways in which hooks say no, the plainest first. */
const outcomesWith = (reason: string): readonly ActionOutcome[] => [
  { kind: 'judged', ok: false, reason },
  { kind: 'exited', exitCode: 2, stdout: '', stderr: reason },
  { kind: 'not-started', reason },
  { kind: 'exited', exitCode: 0, stdout: JSON.stringify({ decision: 'block', reason }), stderr: '' },
  { kind: 'exited', exitCode: 1, stdout: '', stderr: reason },
];
