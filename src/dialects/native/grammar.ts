import { either, filled, flag, list, oneOf, record, type ValueOf } from '../../config/shape.ts';
import { type FailurePolicy, type HookDefinition, isPending } from '../../model/index.ts';
import { type ActionEntry, actionShapes, type FieldFlaw } from '../shared/action-shapes.ts';
import { type Grammar, type Point, variableTypes } from '../shared/hooks-file.ts';
import { commaList, type GivenHook } from '../shared/text-file.ts';
import { events, nativeVariables } from './wire.ts';

const name = { ...filled(), commas: true } as const;
const names = either([name, { ...list(name), nonEmpty: true } as const]);
const added = {
  tool: { ...names, doc: 'Tool names, comma list, globs allowed' },
  files: { ...names, doc: 'Patterns over the edited file, comma list' },
  gate: flag('Whether its failure refuses what is about to happen (default true for moments in -ing)'),
  block: flag('The same as gate'),
  feedback: either(
    [flag(), oneOf(['failure', 'always', 'now', 'next-prompt'])],
    'When its output goes to the agent: failure, always (with the next prompt), now',
  ),
} as const;
const { shell, ...others } = actionShapes(added);
const shapes = {
  shell: record({ ...shell.fields, shell: oneOf(['sh', 'bash'], 'Shell that runs the command (default sh)') }, shell),
  ...others,
};

type NativeEntry = ActionEntry &
  ValueOf<{
    type: 'record';
    fields: typeof added & { shell: typeof shapes.shell.fields.shell };
    required: readonly [];
  }>;

/** agent-pipelines' six points keep what they mean there; our own names have our own defaults. */
const isOurs = ({ event, spelling }: Point): boolean => event === spelling;

export const grammar: Grammar = {
  dialect: 'native',
  events,
  via: 'sh',
  shapes,
  variables: variableTypes(nativeVariables),
  everyErrorRefuses: true,
  *flaws({ tool, files, gate, block, on_failure: onFailure }: NativeEntry, event) {
    const about = (...subjects: string[]): boolean => subjects.some(subject => event.startsWith(subject));
    const neverRuns = (field: string, subject: string): FieldFlaw => ({
      field,
      message: `${event} is not about a ${subject}`,
      hint: `remove ${field}:, or the hook never runs`,
    });
    if (tool !== undefined && !about('tool.', 'permission.')) yield neverRuns('tool', 'tool');
    if (files !== undefined && !about('file.', 'tool.')) yield neverRuns('files', 'file');
    if (gate !== undefined && block !== undefined && gate !== block) {
      const message = `block: ${block} says the opposite of gate: ${gate}`;
      yield { field: 'block', message, hint: 'remove one of the two' };
    }
    if ((gate ?? block) === false && onFailure === 'abort') {
      const hint = 'remove gate: false, or write on_failure: continue';
      yield { field: 'on_failure', message: 'a hook that is no gate does not end a session', hint };
    }
  },
  isAwaited(entry: NativeEntry, point) {
    if (isOurs(point)) return true;
    // A gate and an output for the agent make sense only when waited for.
    return isGate(entry) === true || (entry.feedback ?? false) !== false ? true : undefined;
  },
  extend(given, entry: NativeEntry, warn) {
    const key = entry.gate === undefined ? 'block' : 'gate';
    if (isGate(entry) === true && entry.on_failure === 'abort')
      warn(key, `${key} does nothing beside on_failure: abort`, 'remove one of the two');
    if (isGate(entry) === true && entry.on_failure === 'continue')
      warn('on_failure', `on_failure: continue does nothing beside ${key}: true`, 'remove one of the two');
    if (given.wait === false && isGate(entry) === true)
      warn(key, `${key} cannot act: nobody waits for this action`, 'remove await: false');
    if (given.wait === false && (entry.feedback ?? false) !== false)
      warn('feedback', 'feedback cannot act: nobody waits for this action', 'remove await: false');
    const gates = refusesBy(given, entry);
    const policy = policyOf(given, gates);
    return {
      ...given,
      match: { ...given.match, ...matchOf(entry) },
      ...(policy && { onFailure: policy, onTimeout: policy }),
      feedback: given.wait === false ? 'none' : feedbackOf(entry, gates === true),
      ...settingsOf(given, entry, gates),
    };
  },
};

const isGate = ({ gate, block }: NativeEntry): boolean | undefined => gate ?? block;

/** Whether its failure refuses something. undefined: what the common grammar says holds. */
function refusesBy(given: GivenHook, entry: NativeEntry): boolean | undefined {
  const said = isGate(entry);
  if (said !== undefined) return said;
  // What a question's answer means is the file's to say: on_reject, on_timeout.
  if (given.action.kind === 'webhook' && given.action.approval) return undefined;
  if (!isOurs(given) || !isPending(given.event)) return undefined;
  const goesOn = entry.on_failure === 'continue' || (entry.on_failure === 'retry' && entry.then === 'continue');
  return !goesOn;
}

function policyOf({ wait, onFailure }: GivenHook, gates: boolean | undefined): FailurePolicy | undefined {
  if (wait === false || gates === undefined) return undefined;
  if (!gates) return 'continue';
  return onFailure === 'abort' ? undefined : 'block';
}

/** What the wire has to know: a hook that decides nothing, and one whose output counts only where it failed. */
function settingsOf(
  { settings, action }: GivenHook,
  { feedback }: NativeEntry,
  gates: boolean | undefined,
): Pick<HookDefinition, 'settings'> {
  const observes = gates === false && action.kind !== 'shell';
  if (!observes && feedback !== 'failure') return {};
  return {
    settings: {
      ...settings,
      ...(observes && { observes: true }),
      ...(feedback === 'failure' && { feedback: 'failure' }),
    },
  };
}

function matchOf({ tool, files }: NativeEntry) {
  return {
    ...(tool !== undefined && { tool: { kind: 'names' as const, names: commaList(tool) } }),
    ...(files !== undefined && { files: commaList(files) }),
  };
}

/** What a gate found is told with its refusal, everything else with the next prompt. */
function feedbackOf({ feedback = false }: NativeEntry, gates: boolean): 'none' | 'now' | 'next-prompt' {
  if (feedback === false) return 'none';
  if (feedback === 'now' || feedback === 'next-prompt') return feedback;
  return gates ? 'now' : 'next-prompt';
}
