import {
  type ActionOutcome,
  type Carried,
  type DialectWire,
  eventNames,
  type HookDefinition,
  type HookEvent,
  type Interpretation,
} from '../../model/index.ts';
import { outcomeWords } from '../../model/words.ts';
import { interpretAction, events as pipelineEvents, pipelineVariables } from '../pipelines/wire.ts';
import { hookVariables, outputOf } from '../shared/outcome.ts';

/** Our own names, and agent-pipelines' six. */
export const events: DialectWire['events'] = {
  ...Object.fromEntries(eventNames.map(name => [name, [name]])),
  ...pipelineEvents,
};

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

/** agent-pipelines' variables, and what our own events have beside those. */
export const nativeVariables = (event: HookEvent, carried: Carried): Record<string, string> => ({
  ...pipelineVariables(event, carried),
  AGENT: event.agent ?? '',
  TOOL: event.tool ?? '',
  FILE: event.file ?? '',
  TASK_ID: event.taskId ?? '',
  TASK_CONTENT: event.content ?? '',
  MESSAGE: event.message ?? '',
});

/** `gate: false`: whatever the hook says, it decides nothing. */
function observed(reading: Interpretation, { settings }: HookDefinition): Interpretation {
  const { verdict } = reading;
  if (!settings?.['observes'] || verdict.kind === 'passed') return reading;
  return { verdict: { kind: 'failed', reason: verdict.reason } };
}

/** The event under our own names; fields that no one knows stand beside them, but never in their place. */
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
