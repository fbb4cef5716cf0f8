import {
  type ActionOutcome,
  type Carried,
  type DialectWire,
  eventNames,
  type HookDefinition,
  type HookEvent,
  type Interpretation,
  meaningOf,
  roleOf,
} from '../../model/index.ts';
import { outcomeWords } from '../../model/words.ts';
import { interpretAction, events as pipelineEvents, pipelineVariables } from '../pipelines/wire.ts';
import { interpretAnswer, parseAnswer, readExitTwo } from '../shared/json-answer.ts';
import { hookVariables, outputOf, plainPath, refusalMessage } from '../shared/outcome.ts';
import { eventFields, readJson, toldToAnswer } from './json-hooks.ts';

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
  present(event, hook, context) {
    const { carried, places } = context;
    const { settings } = hook;
    const told = settings?.['answers'] === 'json' ? toldToAnswer(event, context) : undefined;
    const file = event.file === undefined ? {} : pathVariables(plainPath(event.file, places.root));
    return {
      env: {
        ...hookVariables(event),
        ...nativeVariables(event, carried),
        ...file,
        HOOKS_DIR: hooksFolder(settings?.['hooksDir'], places.root),
        CLAUDE_PROJECT_DIR: places.root,
        ...told?.env,
      },
      stdin: told?.stdin ?? eventJson(event),
    };
  },
  interpret(outcome, hook, event) {
    const reading = observed(readingOf(outcome, hook, event), hook);
    const passed = reading.verdict.kind === 'passed';
    if (outcome.kind === 'ruled' || 'answer' in reading) return reading;
    const when = hook.settings?.['feedback'];
    const isSilent = hook.feedback === 'none' || when === 'answer' || (passed && when === 'failure');
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
      if (settings?.['answers'] === 'json') {
        const answered = readJson(outcome, hook, event);
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

/** `refuses_on`: a no with the words that the hook has for it, else with all that is known. */
function refusalReading(
  outcome: Extract<ActionOutcome, { kind: 'exited' }>,
  hook: HookDefinition,
  event: HookEvent,
): Interpretation {
  const said = outcome.stderr.trim() || outcome.stdout.trim();
  if (hook.settings?.['answers'] === 'json')
    return interpretAnswer(
      readExitTwo(outcome, refusalMessage(outcome, hook, event)),
      parseAnswer(outcome.stdout),
      {},
      event,
    );
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
  ROLE: roleOf(event),
  ...spentVariables(event),
  // Why a session began or ended is told by agents' own hooks alone.
  ...(event.name === 'session.starting' && { SOURCE: textOf(event.extra?.['source']) }),
  ...(event.name === 'session.ended' && { REASON: textOf(event.extra?.['reason']) }),
  ...(event.name === 'session.paused' && {
    ...{ KIND: event.kind ?? '', UNTIL: event.until ?? '', REASON: event.reason ?? '' },
  }),
  ...(event.name === 'session.stalling' && { REASON: event.reason ?? '', EVIDENCE: event.evidence ?? '' }),
  ...(event.name === 'budget.reached' && { LEVEL: event.level ?? '', SCOPE: event.scope ?? '' }),
});

/** Outside of a session nothing is spent. */
const spentVariables = ({ spending }: HookEvent): Record<string, string> => ({
  COST: (spending?.cost ?? 0).toFixed(6),
  TOKENS: String(spending?.tokens ?? 0),
  TURNS: String(spending?.turns ?? 0),
  CONTEXT_PERCENT: String(spending?.contextPercent ?? 0),
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const pathVariables = (path: string): Record<string, string> => ({ FILE: path, HOOK_FILE: path });

/** `gate: false`: whatever the hook says, it decides nothing. Only an answer that ends the session is no gate's business. */
function observed(reading: Interpretation, { settings }: HookDefinition): Interpretation {
  const { verdict } = reading;
  if (!settings?.['observes'] || verdict.kind === 'passed') return reading;
  if (verdict.kind === 'stopped' && 'answer' in reading) return reading;
  return { verdict: { kind: 'failed', reason: verdict.reason } };
}

const eventJson = (event: HookEvent): string => `${JSON.stringify(eventFields(event))}\n`;

/** What the command printed; when it failed, first of all which command and how. */
function feedbackOf(outcome: ActionOutcome, hook: HookDefinition, passed: boolean): string {
  const command = hook.action.kind === 'shell' ? hook.action.command : hook.name;
  const { stdout, stderr } = outcome.kind === 'not-started' ? { stdout: '', stderr: '' } : outputOf(outcome);
  return [passed ? '' : `${command} (${outcomeWords(outcome)})`, stdout.trim(), stderr.trim()]
    .filter(part => part !== '')
    .join('\n');
}
