import { checkCondition } from '../../config/conditions/check-condition.ts';
import { childOf, flagOf, isNothing, itemsOf, type Located, placeInScalar } from '../../config/located.ts';
import { read } from '../../config/read.ts';
import type { Report } from '../../config/report.ts';
import { either, json, list, type RecordShape, record } from '../../config/shape.ts';
import { parseYaml } from '../../config/yaml.ts';
import type {
  Carried,
  DialectName,
  EventName,
  FileAction,
  HookDefinition,
  HookEvent,
  Invocation,
  Normalised,
  Scope,
} from '../../model/index.ts';
import { didYouMean } from '../../model/nearest.ts';
import { intVariables, type VariableTypes } from '../../model/ports.ts';
import { type ActionEntry, buildAction, type FieldFlaw, fieldFlaws } from './actions.ts';
import { compileReferences, type FoundText, type GivenHook, hookFrom, openFile, type TextFile } from './text-file.ts';

/** What a YAML file with a `hooks:` block says. `root` is undefined for a file that is empty or cannot be used. */
export interface HooksFile {
  hooks: readonly HookDefinition[];
  /** Those of the parts of the file that have hooks of their own. */
  ofParts: ReadonlyMap<Located, readonly HookDefinition[]>;
  root: Extract<Located, { kind: 'map' }> | undefined;
  report: Report;
}

/** A map inside of a file that has a `hooks:` too. Its label says where it stands: `stages[1]`. */
export interface Part {
  node: Located;
  label: string;
}

/** Checks the whole file against its shape, its hooks against the grammar. */
export function readHooksFile(
  found: FoundText,
  shape: RecordShape,
  grammar: Grammar,
  partsOf: (root: Located) => readonly Part[] = () => [],
): HooksFile {
  const file = openFile(found, { name: grammar.dialect, badFile: 'refuse' }, parseYaml);
  const { root, report } = file;
  if (root?.kind !== 'map') {
    if (root && !isNothing(root)) read(root, shape, report);
    return { hooks: [], ofParts: new Map(), root: undefined, report };
  }
  // The hooks are read entry by entry below, so that each problem is told once and refuses only where it must.
  const parts = partsOf(root);
  const inside = parts.map(({ node }) => node);
  read(withoutHooks(root, inside), shape, report.refusing(grammar.everyErrorRefuses ?? false));
  const hooksOf = (node: Located): readonly HookDefinition[] => {
    const block = childOf(node, 'hooks');
    return block ? readHooksBlock(block, grammar, file) : [];
  };
  const ofParts = new Map(parts.map(({ node, label }) => [node, hooksOf(node).map(hook => inPart(hook, label))]));
  return { hooks: hooksOf(root), ofParts, root, report };
}

/** The file, and those parts of it, without their `hooks:`. */
export function withoutHooks<Node extends Located>(node: Node, parts: readonly Located[]): Node {
  const reduce = (inner: Located): Located => {
    if (inner.kind === 'list') return { ...inner, items: inner.items.map(reduce) };
    if (inner.kind !== 'map' || (inner !== node && !parts.includes(inner))) return inner;
    const kept = inner.entries.filter(({ key }) => key !== 'hooks');
    return { ...inner, entries: kept.map(entry => ({ ...entry, value: reduce(entry.value) })) };
  };
  return reduce(node) as Node;
}

const inPart = (hook: HookDefinition, label: string): HookDefinition => ({
  ...hook,
  id: `${hook.id.slice(0, hook.id.lastIndexOf('#'))}#${label}.${hook.id.slice(hook.id.lastIndexOf('#') + 1)}`,
  source: { ...hook.source, scope: 'stage' },
});

/** What `disable_global_hooks` leaves out. */
export const globalHooks: Omit<NonNullable<Normalised['disables']>[number], 'why'> = {
  dialects: ['native', 'pipelines'],
  scopes: ['user'],
};

/** `disable_global_hooks: true` puts out the user's hooks in both grammars. */
export function disablesOf({ root, report }: HooksFile, file: string, scope: Scope): Pick<Normalised, 'disables'> {
  const flag = childOf(root, 'disable_global_hooks');
  if (!flag || !flagOf(flag)) return {};
  if (scope === 'user') {
    report.warning(flag.span, 'disable_global_hooks has no effect in a global file', 'write it in hookloop.yaml');
    return {};
  }
  const why = `disable_global_hooks in ${file}`;
  return { disables: [{ ...globalHooks, why }] };
}

/** agent-pipelines' grammar as one dialect speaks it. */
export interface Grammar {
  dialect: DialectName;
  events: Readonly<Record<string, readonly EventName[]>>;
  via: 'sh' | 'bash';
  shapes: Readonly<Partial<Record<FileAction['kind'], RecordShape>>>;
  variables: VariableTypes;
  /** Nothing runs while any entry has an error; else only those that are or may be gates have that effect. */
  everyErrorRefuses?: true;
  /** Adds what only this dialect knows; `entry` is as its own shape read it. */
  extend?(given: GivenHook, entry: ActionEntry, warn: Warn): GivenHook;
  /** What is wrong with fields that only this dialect knows. */
  flaws?(entry: ActionEntry, event: EventName): Iterable<FieldFlaw>;
  /** Whether an entry is awaited that does not say so itself; undefined: as usual for its action. */
  isAwaited?(entry: ActionEntry, point: Point): boolean | undefined;
}

/** The form of a `hooks:` block, for JSON Schemas. */
export function hooksShapeOf<Action extends RecordShape>(
  shapes: Readonly<Record<string, Action>>,
  events: Grammar['events'],
  doc: string,
) {
  const actions = list(either(Object.values(shapes)), 'Actions in the order they run');
  return record(Object.fromEntries(Object.keys(events).map(name => [name, actions])), { doc, closed: true });
}

/** An event, and how the file spells it. */
export interface Point {
  event: EventName;
  spelling: string;
}

type Warn = (field: string, message: string, hint?: string) => void;

/** Names and types for conditions, of the variables that a dialect makes of an event. */
export const variableTypes = (
  variablesOf: (event: HookEvent, carried: Carried) => Record<string, string>,
): VariableTypes => {
  const carried = { lastHookStatus: '', hookResponse: '', spawnOutput: '', callbackUrl: '' } as const;
  const names = Object.keys(variablesOf({ name: 'session.starting' }, carried));
  return Object.fromEntries(names.map(name => [name, intVariables.has(name) ? 'int' : 'string']));
};

/** Reads `hooks: { POINT: [actions] }`. Every entry is read by itself: a bad one is a problem, the rest counts. */
function readHooksBlock(block: Located, grammar: Grammar, file: TextFile): readonly HookDefinition[] {
  if (isNothing(block)) return [];
  const { report } = file;
  if (block.kind !== 'map') {
    read(block, record({}), report);
    return [];
  }
  const refusingFor = (node: Located): Report => report.refusing(grammar.everyErrorRefuses ?? mayRefuse(node));
  return block.entries.flatMap(({ key, keySpan, value }) => {
    const events = Object.hasOwn(grammar.events, key) ? grammar.events[key] : undefined;
    if (!events) {
      const known = Object.keys(grammar.events);
      const hint = didYouMean(key, known) ?? `known: ${known.join(', ')}`;
      refusingFor(value).error(keySpan, `unknown hook point "${key}"`, hint);
      return [];
    }
    if (value.kind !== 'list' && !isNothing(value)) read(value, list(json()), refusingFor(value));
    return itemsOf(value).flatMap((node, index) =>
      events.flatMap(event =>
        readEntry(node, index, { event, spelling: key }, grammar, { ...file, report: refusingFor(node) }),
      ),
    );
  });
}

/** Whether an entry, or a list of them, is or may be a gate, judged without trusting any of it. */
function mayRefuse(node: Located): boolean {
  if (node.kind === 'list') return itemsOf(node).some(mayRefuse);
  if (node.kind !== 'map') return false;
  return (
    !isOneOf(node, 'on_failure', undefined, 'continue', 'retry') ||
    !isOneOf(node, 'then', undefined, 'continue') ||
    !isOneOf(node, 'block', undefined, false) ||
    (isOneOf(node, 'type', 'prompt', 'agent') && !isOneOf(node, 'await', false)) ||
    (!isOneOf(node, 'type', 'shell', 'spawn', 'prompt', 'agent') && !isOneOf(node, 'await', undefined, false))
  );
}

function isOneOf(node: Located, key: string, ...values: readonly unknown[]): boolean {
  const child = childOf(node, key);
  if (child === undefined) return values.includes(undefined);
  return child.kind === 'scalar' && values.includes(child.value);
}

function readEntry(node: Located, index: number, point: Point, grammar: Grammar, file: TextFile): HookDefinition[] {
  const { report } = file;
  const kind = kindOf(node, grammar, report);
  const when = conditionOf(node, grammar, file);
  if (kind === undefined) return [];
  // Which shape it is shows only now; each has a part of ActionEntry's fields.
  const entry: ActionEntry | undefined = read<never>(node, grammar.shapes[kind]! as never, report);
  if (entry === undefined || when === wrong) return [];
  const flaws = [...fieldFlaws(entry), ...(grammar.flaws?.(entry, point.event) ?? [])];
  for (const { field, message, hint } of flaws) report.error((childOf(node, field) ?? node).span, message, hint);
  if (flaws.length > 0) return [];
  const warn: Warn = (field, message, hint) => report.warning((childOf(node, field) ?? node).span, message, hint);
  const run = invocationOf(entry, node, grammar, file);
  if (run === undefined && kind === 'shell') return [];
  const built = buildAction(kind, entry, run, grammar.isAwaited?.(entry, point));
  warnOfIdleFields(entry, built.wait, warn);
  const given: GivenHook = { ...point, ...built, match: when === undefined ? {} : { when } };
  const complete = grammar.extend?.(given, entry, warn) ?? given;
  return [hookFrom(file, node, index, complete)];
}

/** What runs for a shell action; undefined where it cannot run safely, which is told. */
function invocationOf(
  entry: ActionEntry & { shell?: string },
  node: Located,
  grammar: Grammar,
  file: TextFile,
): Invocation | undefined {
  const written = childOf(node, 'command');
  if (entry.command === undefined || !written) return undefined;
  const { command, shell } = entry;
  const isKnown = (name: string): boolean => Object.hasOwn(grammar.variables, name);
  const via = shell === 'bash' ? 'bash' : grammar.via;
  return compileReferences({ command, node: written }, via, isKnown, file);
}

function warnOfIdleFields(entry: ActionEntry, wait: boolean, warn: Warn): void {
  if (entry.on_failure === 'abort' && !wait)
    warn('on_failure', 'on_failure: abort cannot act: nobody waits for this action', 'add await: true');
  if (entry.retries !== undefined && entry.on_failure !== 'retry' && entry.url === undefined)
    warn('retries', 'retries counts only with on_failure: retry', 'add on_failure: retry');
  if (entry.then !== undefined && entry.on_failure !== 'retry')
    warn('then', 'then counts only with on_failure: retry', 'add on_failure: retry');
}

function kindOf(node: Located, grammar: Grammar, report: Report): FileAction['kind'] | undefined {
  if (node.kind !== 'map') {
    const hint =
      node.kind === 'scalar' && typeof node.value === 'string' ? 'write "type: shell" and "command: ..."' : undefined;
    report.error(node.span, 'an action is a map with a type', hint);
    return undefined;
  }
  const kinds = Object.keys(grammar.shapes);
  const type = childOf(node, 'type');
  if (!type) {
    const telling = { command: 'shell', url: 'webhook', pipeline: 'spawn', prompt: 'prompt' };
    const meant = Object.entries(telling).find(([key, kind]) => childOf(node, key) && kinds.includes(kind))?.[1];
    report.error(node.span, '"type" is missing', meant ? `write type: ${meant}` : `write type: ${kinds.join(' | ')}`);
    return undefined;
  }
  if (type.kind === 'scalar' && kinds.includes(String(type.value))) return type.value as FileAction['kind'];
  read(type, { type: 'text', values: kinds }, report);
  return undefined;
}

const wrong = Symbol('wrong');

function conditionOf(node: Located, grammar: Grammar, { found, report }: TextFile): string | undefined | typeof wrong {
  const when = childOf(node, 'when');
  if (when?.kind !== 'scalar') return undefined;
  if (typeof when.value === 'boolean') return String(when.value);
  if (typeof when.value !== 'string') return undefined;
  const checked = checkCondition(when.value, grammar.variables);
  if (checked.kind === 'ok') return checked.condition;
  report.error(placeInScalar(found.text, when.span, when.value, checked), checked.message, checked.hint);
  return wrong;
}
