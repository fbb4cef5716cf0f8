import { read } from '../../config/read.ts';
import { createReport } from '../../config/report.ts';
import {
  count,
  either,
  type FieldFlaw,
  filled,
  flag,
  list,
  oneOf,
  record,
  text,
  type ValueOf,
} from '../../config/shape.ts';
import { parseYaml } from '../../config/yaml.ts';
import {
  type DialectConfig,
  type FailurePolicy,
  type HookDefinition,
  isPending,
  type Normalised,
} from '../../model/index.ts';
import { type ActionEntry, actionShapes, urlFlaw } from '../shared/actions.ts';
import {
  disablesOf,
  type Grammar,
  hooksShapeOf,
  type Point,
  readHooksFile,
  variableTypes,
} from '../shared/hooks-file.ts';
import { commaList, type FoundText, type GivenHook } from '../shared/text-file.ts';
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
const toShell = { shell: oneOf(['sh', 'bash'], 'Shell that runs the command (default sh)') };
const variables = variableTypes(nativeVariables);
const hooksShape = hooksShapeOf(actionShapes(variables, added, toShell), events, 'Events and their actions');

type NativeEntry = ActionEntry &
  ValueOf<{ type: 'record'; fields: typeof added & typeof toShell; required: readonly [] }>;

/** agent-pipelines' six points keep what they mean there; our own names have our own defaults. */
const isOurs = ({ event, spelling }: Point): boolean => event === spelling;

export const grammar: Grammar = {
  dialect: 'native',
  events,
  via: 'sh',
  hooks: hooksShape,
  variables,
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

/** The whole file, for its JSON Schema. */
export const fileShape = record(
  {
    version: either([count(), text()], 'Version of this format'),
    agent: filled('Agent of `hookloop run`: claude, codex, acp:COMMAND, ...'),
    judge: record({ agent: filled('Agent that answers prompt and agent hooks') }, { closed: true }),
    hooks: hooksShape,
    root: flag('Hooks of folders above do not apply here (counts once the file is trusted)'),
    disable_global_hooks: flag("Leave the user's global hooks out"),
    max_failures: count('Failed iterations in a row that end the session'),
    max_retries: count('Fix attempts per task'),
    tasks: record(
      {
        done: oneOf(
          ['ticked', 'gates'],
          'When a task is done: when it is ticked and its gates passed, or when they passed',
        ),
      },
      { closed: true },
    ),
    callback_base_url: filled('Public https address of the callback server'),
  },
  { doc: 'Hooks of Hookloop', closed: true, check: settingFlaws },
);

export const config: DialectConfig = {
  name: 'native',
  badFile: 'refuse',
  locations: [
    { scope: 'project', base: 'root', path: 'hookloop.yaml', holds: 'file' },
    { scope: 'user', base: 'config', path: 'hookloop/hooks.yaml', holds: 'file' },
  ],
  normalise(found) {
    const files = found.filter(file => file.kind === 'text').map(readFile);
    return {
      hooks: files.flatMap(file => file.hooks),
      problems: files.flatMap(file => file.problems),
      disables: files.flatMap(file => file.disables ?? []),
    };
  },
};

function readFile(found: FoundText): Normalised {
  const file = readHooksFile(found, fileShape, grammar);
  const disables = disablesOf(file, found.file, found.location.scope);
  const hooks = file.hooks.map(hook => withBase(hook, file.settings?.callback_base_url));
  return { hooks, problems: file.report.problems, ...disables };
}

function* settingFlaws({ version = 1, callback_base_url: base }: { version?: unknown; callback_base_url?: string }) {
  if (!/^1(\.0)?$/.test(String(version))) yield unknownVersion(version);
  const flaw = urlFlaw('callback_base_url', base);
  if (flaw) yield flaw;
}

const unknownVersion = (version: unknown): FieldFlaw => ({
  field: 'version',
  message: `version ${version} is not known here`,
  hint: 'it is read as version: 1',
  isWarning: true,
});

/** The file's address counts for every approval in it that names none itself. */
function withBase(hook: HookDefinition, base: string | undefined): HookDefinition {
  const { action } = hook;
  if (base === undefined || action.kind !== 'webhook' || action.callbackBaseUrl !== undefined) return hook;
  return { ...hook, action: { ...action, callbackBaseUrl: base } };
}

/** What hookloop.yaml says beside its hooks. */
export interface Settings {
  agent?: string;
  /** Who answers prompt and agent hooks. */
  judge?: string;
  maxFailures?: number;
  maxRetries?: number;
  /** Hooks of folders above do not apply. */
  root?: true;
  /** A task is done when its gates passed, whoever ticks its box. */
  doneByGates?: boolean;
}

/** Reads the settings of a file. Problems are told where its hooks are read; what is wrong counts as not written. */
export function readSettings(file: string, text: string): Settings {
  const parsed = parseYaml(text);
  if (parsed.kind !== 'parsed' || parsed.root?.kind !== 'map') return {};
  const root = { ...parsed.root, entries: parsed.root.entries.filter(({ key }) => key !== 'hooks') };
  const found = read(root, fileShape, createReport(file, text, false));
  if (!found) return {};
  const { agent, judge, max_failures: maxFailures, max_retries: maxRetries, root: isRoot, tasks } = found;
  return {
    ...(agent !== undefined && { agent }),
    ...(judge?.agent !== undefined && { judge: judge.agent }),
    ...(maxFailures !== undefined && { maxFailures }),
    ...(maxRetries !== undefined && { maxRetries }),
    ...(isRoot && { root: true }),
    ...(tasks?.done !== undefined && { doneByGates: tasks.done === 'gates' }),
  };
}
