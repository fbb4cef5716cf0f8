import type { ActionOutcome, DialectWire, HookDefinition } from '../../model/index.ts';
import { outcomeWords } from '../../model/words.ts';
import { byExitCode, hookVariables, outputOf } from '../shared/outcome.ts';

export const wire: DialectWire = {
  name: 'sauna',
  // It has no event names: every entry is a gate on a finished task.
  events: {},
  order: 'in-order',
  present: event => ({ env: hookVariables(event) }),
  interpret(outcome, hook) {
    const verdict = byExitCode(outcome, hook.name);
    return verdict.kind === 'passed' ? { verdict } : { verdict, feedback: messageFor(outcome, hook) };
  },
};

/** What the builder reads: which command failed, how, and all it printed. */
function messageFor(outcome: ActionOutcome, hook: HookDefinition): string {
  const command = hook.action.kind === 'shell' ? hook.action.command : hook.name;
  const { stdout, stderr } = outputOf(outcome);
  const parts = [
    `Hook failed: ${command}`,
    outcomeWords(outcome),
    stdout && `stdout:\n${stdout.trimEnd()}`,
    stderr && `stderr:\n${stderr.trimEnd()}`,
  ];
  return parts.filter(part => part !== '').join('\n\n');
}
