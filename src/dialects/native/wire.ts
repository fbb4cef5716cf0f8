import type { ActionOutcome, DialectWire, HookDefinition, HookEvent, Interpretation } from '../../model/index.ts';
import { outcomeWords } from '../../model/words.ts';
import { hookVariables, outputOf } from '../shared/outcome.ts';
import { nativeVariables } from '../shared/pipeline-variables.ts';
import { interpretAction } from '../shared/pipeline-wire.ts';
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
  interpret(outcome, hook, event) {
    const reading = observed(interpretAction(outcome, hook, event), hook);
    const passed = reading.verdict.kind === 'passed';
    const isSilent = hook.feedback === 'none' || (passed && hook.settings?.['feedback'] === 'failure');
    const feedback = isSilent ? '' : feedbackOf(outcome, hook, passed);
    return feedback === '' ? reading : { ...reading, feedback };
  },
};

/** `gate: false`: whatever the hook says, it decides nothing. */
function observed(reading: Interpretation, { settings }: HookDefinition): Interpretation {
  const { verdict } = reading;
  if (!settings?.['observes'] || verdict.kind === 'passed') return reading;
  return { verdict: { kind: 'failed', reason: verdict.reason } };
}

/** The event under our own names; fields nobody knows stand beside them, but never in their place. */
function eventJson({ name, extra, facts: _facts, ...fields }: HookEvent): string {
  return `${JSON.stringify({ ...extra, event: name, ...fields })}\n`;
}

/** What the command printed; when it failed, first of all which command and how. */
function feedbackOf(outcome: ActionOutcome, hook: HookDefinition, passed: boolean): string {
  const command = hook.action.kind === 'shell' ? hook.action.command : hook.name;
  const { stdout, stderr } = outcome.kind === 'not-started' ? { stdout: '', stderr: '' } : outputOf(outcome);
  return [passed ? '' : `${command} (${outcomeWords(outcome)})`, stdout.trim(), stderr.trim()]
    .filter(part => part !== '')
    .join('\n');
}
