import { childOf, itemsOf } from '../../config/located.ts';
import { count, either, type FieldFlaw, filled, flag, list, oneOf, record, text } from '../../config/shape.ts';
import { type DialectConfig, type HookDefinition, isPending, type Match, type Places } from '../../model/index.ts';
import { given } from '../../model/json.ts';
import { questionFields, urlFlaw } from '../shared/action-shapes.ts';
import { disablesOf, type Grammar, hooksShapeOf, type Point, readHooksFile } from '../shared/hooks-file.ts';
import { commaList, type FoundText, type GivenHook } from '../shared/text-file.ts';
import { entryShape, expandEntry, type NativeEntry, variables } from './entry.ts';
import { tellProtectFlaws } from './protect.ts';
import { settingFields, silenceFlaw } from './settings.ts';
import { inFolder, isReference, onlyLookOn, type ReadFile, reference, referencesIn, switchOff } from './taken-in.ts';
import { events } from './wire.ts';

const hooksShape = hooksShapeOf(spelling => entryShape(events[spelling]![0]!), events, {
  each: 'event',
  doc: 'Events and their actions',
});

/** They make sense only when waited for, whatever the spelling of their event. */
const quickActions: ReadonlySet<string> = new Set(['ask', 'deny', 'tell']);

/** agent-pipelines' six points keep what they mean there; our own names have our own defaults. */
const isOurs = ({ event, spelling }: Point): boolean => event === spelling;

export const grammar: Grammar = {
  dialect: 'native',
  events,
  via: 'sh',
  hooks: hooksShape,
  variables,
  everyErrorRefuses: true,
  expand: expandEntry,
  flaws: ownFlaws,
  isAwaited(entry: NativeEntry, point) {
    if (isOurs(point)) return true;
    if (quickActions.has(entry.type)) return true;
    // A gate and an output for the agent make sense only when waited for.
    return isGate(entry) === true || revises(entry) || (entry.feedback ?? false) !== false ? true : undefined;
  },
  extend(hook, entry: NativeEntry, warn) {
    const key = entry.gate === undefined ? 'block' : 'gate';
    if (isGate(entry) === true && entry.on_failure === 'abort')
      warn(key, `${key} does nothing beside on_failure: abort`, 'remove one of the two');
    if (isGate(entry) === true && entry.on_failure === 'continue')
      warn('on_failure', `on_failure: continue does nothing beside ${key}: true`, 'remove one of the two');
    if (hook.wait === false && isGate(entry) === true)
      warn(key, `${key} has no effect: no one waits for this action`, 'remove await: false');
    if (hook.wait === false && (entry.feedback ?? false) !== false)
      warn('feedback', 'feedback has no effect: no one waits for this action', 'remove await: false');
    const gates = refusesBy(hook, entry);
    return {
      ...hook,
      match: { ...hook.match, ...matchOf(entry, hook) },
      ...policiesOf(hook, entry, gates),
      ...(entry.always === true && { always: true as const }),
      ...(entry.flaky !== undefined && { flaky: entry.flaky }),
      ...(entry.only_changed === true && { onlyChanged: true as const }),
      ...(entry.mode === 'shadow' && { shadow: true as const }),
      feedback: hook.wait === false ? 'none' : feedbackOf(entry, gates === true),
      ...settingsOf(hook, entry, gates),
    };
  },
};

/** Its failure sends the work back instead of refusing it. */
const revises = (entry: NativeEntry): boolean => (entry.on_failure as string | undefined) === 'revise';

const isGate = ({ gate, block }: NativeEntry): boolean | undefined => gate ?? block;

/** Whether its failure refuses something. undefined: what the common grammar says holds. */
function refusesBy(given: GivenHook, entry: NativeEntry): boolean | undefined {
  const said = isGate(entry);
  if (said !== undefined) return said;
  if (revises(entry)) return true;
  // What a question's answer means is the file's to say: on_reject, on_timeout.
  if (given.action.kind === 'webhook' && given.action.approval) return undefined;
  if (!isOurs(given) || !isPending(given.event)) return undefined;
  const goesOn = entry.on_failure === 'continue' || (entry.on_failure === 'retry' && entry.then === 'continue');
  return !goesOn;
}

function policiesOf(given: GivenHook, entry: NativeEntry, gates: boolean | undefined): Partial<HookDefinition> {
  if (given.action.kind === 'ask') return askPolicies(given, entry, gates);
  if (given.wait === false || gates === undefined) return {};
  const refusing = revises(entry) ? 'revise' : 'block';
  const policy = gates ? (given.onFailure === 'abort' ? 'abort' : refusing) : 'continue';
  // Where certain exit codes refuse, every other failure is only reported.
  const failing = entry.refuses_on ? 'continue' : policy;
  return { onFailure: failing, onTimeout: failing };
}

/** A no refuses what is about to happen; after something has happened it ends the session, as the no to a webhook does. */
function askPolicies({ event }: GivenHook, entry: NativeEntry, gates: boolean | undefined): Partial<HookDefinition> {
  const otherwise = gates === false ? 'continue' : isPending(event) ? 'block' : 'abort';
  const onFailure = entry.on_reject ?? otherwise;
  return { onFailure, onTimeout: entry.on_timeout ?? onFailure };
}

/** What the wire has to know: a hook that decides nothing, one whose output counts only where it failed, and how its exit is read. */
function settingsOf(
  { settings, action }: GivenHook,
  { feedback, answers, refuses_on: refusesOn, pure }: NativeEntry,
  gates: boolean | undefined,
): Pick<HookDefinition, 'settings'> {
  const observes = gates === false && (action.kind !== 'shell' || answers !== undefined || refusesOn !== undefined);
  const own = given({
    observes: observes || undefined,
    feedback: feedback === 'failure' ? feedback : answers && !feedback ? 'answer' : undefined,
    answers,
    refusesOn: refusesOn === 'answer' ? [] : refusesOn && [...refusesOn],
    pure: pure || undefined,
  });
  return Object.keys(own).length === 0 ? {} : { settings: { ...settings, ...own } };
}

function matchOf({ tool, files, commands, agent }: NativeEntry, { event, action }: GivenHook): Match {
  const isChange = files !== undefined && tool === undefined && event.startsWith('tool.');
  const wanted = isChange ? ['edit'] : tool === undefined ? undefined : commaList(tool);
  return given({
    tool: expressionIn(tool) ?? (wanted && { kind: 'names' as const, names: wanted }),
    files: files === undefined ? undefined : commaList(files),
    command:
      commands === undefined
        ? undefined
        : { patterns: [commands].flat(), open: action.kind === 'tell' ? ('differs' as const) : ('matches' as const) },
    agent: agent === undefined ? undefined : commaList(agent),
  });
}

/** Between slashes stands a matcher as Claude Code has it. */
function expressionIn(tool: NativeEntry['tool']): Extract<Match['tool'], { kind: 'matcher' }> | undefined {
  const [, matcher] = typeof tool === 'string' ? (/^\/(.+)\/$/s.exec(tool.trim()) ?? []) : [];
  return matcher === undefined ? undefined : { kind: 'matcher', matcher };
}

function* ownFlaws({
  type,
  tool,
  files,
  answers,
  refuses_on: refusesOn,
  only_changed: onlyChanged,
}: NativeEntry): Iterable<FieldFlaw> {
  if (onlyChanged === true && files === undefined)
    yield {
      field: 'only_changed',
      message: 'only_changed needs files: which ones this check looks at',
      hint: 'add files: "src/**"',
    };
  if (refusesOn === 'answer' && answers === undefined && type === 'shell')
    yield { field: 'refuses_on', message: 'this hook gives no answer', hint: 'add answers: json, or write exit codes' };
  const matcher = expressionIn(tool)?.matcher;
  if (matcher === undefined) return;
  try {
    new RegExp(matcher);
  } catch {
    yield { field: 'tool', message: `"${matcher}" is not a regular expression`, hint: 'write names split by |' };
  }
}

/** What a gate found is told with its refusal, everything else with the next prompt. */
function feedbackOf({ feedback = false, type, answers }: NativeEntry, gates: boolean): 'none' | 'now' | 'next-prompt' {
  if (type === 'tell') return 'next-prompt';
  // An answer has a part for the agent.
  if (feedback === false) return answers === undefined ? 'none' : 'next-prompt';
  if (feedback === 'now' || feedback === 'next-prompt') return feedback;
  return gates ? 'now' : 'next-prompt';
}

/** The whole file, for its JSON Schema. */
export const fileShape = record(
  {
    version: either([count(), text()], 'Version of this format'),
    ...settingFields,
    extends: {
      ...either([reference, list(reference)]),
      doc: 'Files whose hooks apply as well: ./FILE, or npm:PACKAGE',
    },
    disable: list(filled(), 'Names of hooks of those files that do not run'),
    mode: oneOf(['shadow'], 'shadow: all its hooks, and those of the files it takes in, only look on'),
    hooks: hooksShape,
    disable_global_hooks: flag("Leave the user's global hooks out"),
    callback_base_url: questionFields.callback_base_url,
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
  references: referencesIn,
  normalise(found, places) {
    const files = found.filter(file => file.kind === 'text').map(file => readFile(file, places));
    for (const file of files) switchOff(file, files);
    for (const file of files) onlyLookOn(file, files);
    return {
      hooks: files.flatMap(file => file.hooks),
      problems: files.flatMap(file => file.report.problems),
      disables: files.flatMap(file => file.disables ?? []),
    };
  },
};

function readFile(found: FoundText, places: Places): ReadFile {
  const file = readHooksFile(found, fileShape, grammar);
  tellProtectFlaws(file.root, file.report);
  const own = file.hooks.map(hook => withBase(hook, file.settings?.callback_base_url));
  return {
    found,
    hooks: own.map(hook => inFolder(hook, found, places)),
    off: itemsOf(childOf(file.root, 'disable')),
    isShadow: file.settings?.mode === 'shadow',
    report: file.report,
    ...(found.isTakenIn ? {} : disablesOf(file, found.file, found.location.scope)),
  };
}

interface Written {
  silence?: number | string;
  version?: unknown;
  callback_base_url?: string;
  extends?: string | string[];
}

function* settingFlaws({ version = 1, callback_base_url: base, extends: named, silence }: Written) {
  if (!/^1(\.0)?$/.test(String(version))) yield unknownVersion(version);
  for (const flaw of [urlFlaw('callback_base_url', base), silenceFlaw(silence)]) if (flaw) yield flaw;
  for (const text of [named].flat()) if (text !== undefined && !isReference(text)) yield notAReference(text);
}

const notAReference = (text: string): FieldFlaw => ({
  field: 'extends',
  message: `"${text}" is neither a path nor a package`,
  hint: /^[\w@.-]+$/.test(text) ? `write ./${text}, or npm:${text}` : 'write ./FILE, or npm:PACKAGE',
});

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
