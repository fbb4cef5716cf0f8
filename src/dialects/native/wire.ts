import {
  type ActionOutcome,
  type Carried,
  type DialectWire,
  eventNames,
  type HookDefinition,
  type HookEvent,
  type Interpretation,
  meaningOf,
} from '../../model/index.ts';
import { outcomeWords } from '../../model/words.ts';
import { interpretAction, events as pipelineEvents, pipelineVariables } from '../pipelines/wire.ts';
import { interpretAnswer, parseAnswer, readAnswer, readExitTwo, unreadableAnswer } from '../shared/json-answer.ts';
import { hookVariables, outputOf, refusalMessage } from '../shared/outcome.ts';

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
  present: (event, { settings }, { carried, places }) => ({
    env: {
      ...hookVariables(event),
      ...nativeVariables(event, carried),
      HOOKS_DIR: hooksFolder(settings?.['hooksDir'], places.root),
    },
    stdin: eventJson(event),
  }),
  interpret(outcome, hook, event) {
    const reading = observed(readingOf(outcome, hook, event), hook);
    const passed = reading.verdict.kind === 'passed';
    if (outcome.kind === 'ruled' || 'answer' in reading) return reading;
    const isSilent = hook.feedback === 'none' || (passed && hook.settings?.['feedback'] === 'failure');
    const feedback = isSilent ? '' : feedbackOf(outcome, hook, passed);
    return feedback === '' ? reading : { ...reading, feedback };
  },
};

function readingOf(outcome: ActionOutcome, hook: HookDefinition, event: HookEvent): Interpretation {
  const { settings, action } = hook;
  switch (outcome.kind) {
    case 'ruled':
      return action.kind === 'deny'
        ? { verdict: { kind: 'rejected', reason: outcome.text } }
        : { verdict: { kind: 'passed' }, feedback: outcome.text };
    case 'left-open':
      return { verdict: { kind: 'asked', reason: outcome.question } };
    case 'answered':
      return action.kind === 'ask' ? answerTo(outcome, hook, event) : interpretAction(outcome, hook, event);
    case 'exited':
      if (settings?.['answers'] === 'json' && outcome.exitCode === 0) {
        const answered = jsonReading(outcome, hook, event);
        if (answered) return answered;
      }
      if ((settings?.['refusesOn'] as readonly number[] | undefined)?.includes(outcome.exitCode))
        return refusalReading(outcome, hook, event);
      return interpretAction(outcome, hook, event);
    default:
      return interpretAction(outcome, hook, event);
  }
}

/** A no to a question of `ask`; what it means, the hook's policy says. */
function answerTo(
  outcome: Extract<ActionOutcome, { kind: 'answered' }>,
  hook: HookDefinition,
  event: HookEvent,
): Interpretation {
  const own = hook.action.kind === 'ask' ? hook.action.actions : undefined;
  if (meaningOf(outcome.action, own) === 'approve') return { verdict: { kind: 'passed' } };
  const said = outcome.message.trim();
  const reason = `${hook.name}: answered ${outcome.action.trim()}${said === '' ? '' : `: ${said}`}`;
  return { verdict: { kind: 'failed', reason }, refusal: refusalMessage(outcome, hook, event) };
}

/** `answers: json`: what a hook for Claude Code would have said. undefined: nothing of the kind. */
function jsonReading(
  outcome: Extract<ActionOutcome, { kind: 'exited' }>,
  hook: HookDefinition,
  event: HookEvent,
): Interpretation | undefined {
  const unreadable = unreadableAnswer(outcome, hook.name);
  if (unreadable) return { verdict: unreadable };
  const answer = parseAnswer(outcome.stdout);
  if (!answer) return undefined;
  const said = readAnswer(answer, refusalMessage(outcome, hook, event));
  return interpretAnswer(said.verdict ?? { kind: 'passed' }, answer, said);
}

/** `refuses_on`: a no with the words that the hook has for it, else with all that is known. */
function refusalReading(
  outcome: Extract<ActionOutcome, { kind: 'exited' }>,
  hook: HookDefinition,
  event: HookEvent,
): Interpretation {
  const said = outcome.stderr.trim() || outcome.stdout.trim();
  if (hook.settings?.['answers'] === 'json')
    return interpretAnswer(readExitTwo(outcome, refusalMessage(outcome, hook, event)), parseAnswer(outcome.stdout), {});
  const reason = said || `${hook.name}: ${outcomeWords(outcome)}`;
  return { verdict: { kind: 'rejected', reason }, refusal: refusalMessage(outcome, hook, event) };
}

/** The folder of the file that names the hook. */
function hooksFolder(folder: unknown, root: string): string {
  if (typeof folder !== 'string') return root;
  return folder.startsWith('/') ? folder : `${root}/${folder}`;
}

/** agent-pipelines' variables, and what our own events have beside those. */
export const nativeVariables = (event: HookEvent, carried: Carried): Record<string, string> => ({
  ...pipelineVariables(event, carried),
  AGENT: event.agent ?? '',
  TOOL: event.tool ?? '',
  FILE: event.file ?? '',
  TASK_ID: event.taskId ?? '',
  TASK_CONTENT: event.content ?? '',
  MESSAGE: event.message ?? '',
  ROLE: event.role ?? '',
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
