import { type ActionOutcome, decide, type HookDefinition } from '../model/index.ts';
import { wires } from './wires.ts';

/** Whether a hook is a gate: it is awaited, does not only look on, and its own dialect takes some answer of it for a no. */
export const canRefuse = (hook: HookDefinition): boolean => !hook.shadow && isGateAsWritten(hook);

/** The same of a hook that may only look on. */
export const isGateAsWritten = (hook: HookDefinition): boolean =>
  hook.wait && outcomesOf(hook, 'no').some(outcome => isRefusal(outcome, hook));

/** An outcome that this hook's dialect takes for a no, in the place of one that does not count. */
export const refusingOutcome = (hook: HookDefinition, reason: string): ActionOutcome | undefined =>
  [{ kind: 'judged', ok: false, reason } as const, ...outcomesOf(hook, reason)].find(outcome =>
    isRefusal(outcome, hook),
  );

function isRefusal(outcome: ActionOutcome, hook: HookDefinition): boolean {
  const wire = wires.find(({ name }) => name === hook.source.dialect)!;
  const { verdict } = wire.interpret(outcome, hook, { name: hook.event });
  return decide(verdict, outcome, hook).kind !== 'proceed';
}

/** The ways in which a hook may say no. */
function outcomesOf({ action }: HookDefinition, reason: string): readonly ActionOutcome[] {
  const broken = { kind: 'not-started', reason } as const;
  switch (action.kind) {
    case 'shell':
      return [
        { kind: 'exited', exitCode: 2, stdout: '', stderr: reason },
        broken,
        { kind: 'exited', exitCode: 0, stdout: JSON.stringify({ decision: 'block', reason }), stderr: '' },
        { kind: 'exited', exitCode: 1, stdout: '', stderr: reason },
      ];
    case 'mcp_tool':
      return [
        { kind: 'exited', exitCode: 0, stdout: JSON.stringify({ decision: 'block', reason }), stderr: '' },
        broken,
      ];
    case 'webhook':
      if (action.posts)
        return [{ kind: 'replied', status: 200, body: JSON.stringify({ decision: 'block', reason }) }, broken];
      return [{ kind: 'answered', action: 'reject', message: reason, response: {} }, broken];
    case 'ask':
      return [{ kind: 'answered', action: 'reject', message: reason, response: {} }, broken];
    case 'deny':
    case 'tell':
      return [{ kind: 'ruled', text: reason }];
    case 'spawn':
      return [{ kind: 'child-finished', succeeded: false, output: reason }, broken];
    case 'prompt':
    case 'agent':
    case 'judge':
    case 'function':
      return [{ kind: 'judged', ok: false, reason }, broken];
  }
}
