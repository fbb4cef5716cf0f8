import type { ActionOutcome, DialectWire, HookDefinition, HookEvent } from '../../model/index.ts';
import { hookVariables, outputOf, sayOutcome } from '../shared/outcome.ts';
import { nativeVariables } from '../shared/pipeline-variables.ts';
import { verdictOf } from '../shared/pipeline-wire.ts';
import { events } from './events.ts';

export const wire: DialectWire = {
  name: 'native',
  events,
  order: 'in-order',
  chain: 'actions',
  present: (event, _hook, { carried }) => ({
    env: { ...hookVariables(event), ...nativeVariables(event, carried) },
    stdin: eventJson(event),
  }),
  interpret(outcome, hook) {
    const verdict = verdictOf(outcome, hook);
    const feedback = hook.feedback === 'none' ? '' : feedbackOf(outcome, hook, verdict.kind === 'passed');
    return feedback === '' ? { verdict } : { verdict, feedback };
  },
};

/** The event under our own names; fields nobody knows stand beside them, but never in their place. */
function eventJson({ name, extra, ...fields }: HookEvent): string {
  return `${JSON.stringify({ ...extra, event: name, ...fields })}\n`;
}

/** What the command printed; when it failed, first of all which command and how. */
function feedbackOf(outcome: ActionOutcome, hook: HookDefinition, passed: boolean): string {
  const command = hook.action.kind === 'shell' ? hook.action.command : hook.name;
  const { stdout, stderr } = outcome.kind === 'not-started' ? { stdout: '', stderr: '' } : outputOf(outcome);
  return [passed ? '' : `${command} (${sayOutcome(outcome)})`, stdout.trim(), stderr.trim()]
    .filter(part => part !== '')
    .join('\n');
}
