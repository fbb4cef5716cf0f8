import { childOf, flagOf, isNothing, itemsOf, type Located } from '../../config/located.ts';
import { read, tellFlaws } from '../../config/read.ts';
import type { Report } from '../../config/report.ts';
import {
  type Entry,
  entries,
  type FieldFlaw,
  type RecordShape,
  record,
  type Shape,
  type ValueOf,
  type VariantShape,
} from '../../config/shape.ts';
import { parseYaml } from '../../config/yaml.ts';
import type {
  Carried,
  DialectName,
  EventName,
  HookDefinition,
  HookEvent,
  Invocation,
  Normalised,
  Scope,
} from '../../model/index.ts';
import { numberVariables, type VariableTypes } from '../../model/ports.ts';
import type { ActionEntry, AnyAction } from './action-shapes.ts';
import { buildAction } from './actions.ts';
import { compileReferences, type FoundText, type GivenHook, hookFrom, openFile, type TextFile } from './text-file.ts';

/** What a YAML file with a `hooks:` block says. `root` is undefined for a file that is empty or cannot be used. */
export interface HooksFile<Settings = unknown> {
  hooks: readonly HookDefinition[];
  /** What stands beside the hooks; undefined where anything is wrong with it. */
  settings: Settings | undefined;
  /** Those of the parts of the file that have hooks of their own. */
  ofParts: ReadonlyMap<Located, readonly HookDefinition[]>;
  root: Extract<Located, { kind: 'map' }> | undefined;
  report: Report;
}

/** A map inside a file that has a `hooks:` too. Its label says where it stands: `stages[1]`. */
export interface Part {
  node: Located;
  label: string;
}

/** Checks the whole file against its shape, its hooks against the grammar. */
export function readHooksFile<S extends RecordShape>(
  found: FoundText,
  shape: S,
  grammar: Grammar,
  partsOf: (root: Located) => readonly Part[] = () => [],
): HooksFile<ValueOf<S>> {
  const file = openFile(found, { name: grammar.dialect, badFile: 'refuse' }, parseYaml);
  const { root, report } = file;
  if (root?.kind !== 'map') {
    if (root && !isNothing(root)) read(root, shape, report);
    return { hooks: [], ofParts: new Map(), settings: undefined, root: undefined, report };
  }
  // The hooks are read entry by entry below, so that each problem is told once and refuses only where it must.
  const parts = partsOf(root);
  const inside = parts.map(({ node }) => node);
  const beside = report.refusing(grammar.everyErrorRefuses ?? false);
  const settings = read(withoutHooks(root, inside), shape, beside);
  const hooksOf = (node: Located): readonly HookDefinition[] => {
    const block = childOf(node, 'hooks');
    const points = block && read(block, grammar.hooks, report);
    if (!points) return [];
    return Object.entries(points).flatMap(([spelling, listed = []]) =>
      listed.flatMap(entry =>
        grammar.events[spelling]!.flatMap(event => toHook(entry, { event, spelling }, grammar, file)),
      ),
    );
  };
  const ofParts = new Map(parts.map(({ node, label }) => [node, hooksOf(node).map(hook => inPart(hook, label))]));
  return { hooks: hooksOf(root), ofParts, settings, root, report };
}

/** The file, and those parts of it, without their `hooks:`. */
function withoutHooks<Node extends Located>(node: Node, parts: readonly Located[]): Node {
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
  hooks: HooksShape;
  variables: VariableTypes;
  /** Nothing runs while any entry has an error; else only those that are or may be gates have that effect. */
  everyErrorRefuses?: true;
  /** What a short form stands for, and the key under which its command is written. */
  expand?(entry: unknown): { entry: ActionEntry; commandKey?: string };
  /** Adds what only this dialect knows; `entry` is as its own shape read it. */
  extend?(given: GivenHook, entry: ActionEntry, warn: Warn): GivenHook;
  /** What is wrong with fields that only this dialect knows. */
  flaws?(entry: ActionEntry, event: EventName): Iterable<FieldFlaw>;
  /** Whether an entry is awaited that does not say so itself; undefined: as usual for its action. */
  isAwaited?(entry: ActionEntry, point: Point): boolean | undefined;
}

/** The form of a `hooks:` block. Every entry is read by itself: a bad one is a problem, the rest counts. */
export function hooksShapeOf(
  actionOf: (spelling: string) => VariantShape,
  events: Grammar['events'],
  { each, doc }: { each: 'event' | 'hook point'; doc: string },
  options: Pick<RecordShape, 'refuses'> = {},
): HooksShape {
  const emptied = { ...options, orNothing: true } as const;
  const lists = new Map<VariantShape, Shape>();
  const listOf = (action: VariantShape): Shape => {
    const known = lists.get(action) ?? entries(action, 'Actions in the order they run', emptied);
    lists.set(action, known);
    return known;
  };
  const points = Object.fromEntries(Object.keys(events).map(name => [name, listOf(actionOf(name))]));
  return record(points, { doc, closed: true, each, ...emptied }) as unknown as HooksShape;
}

/** To who reads it, an action has a part of the fields of all. */
export interface HooksShape {
  type: 'record';
  fields: Readonly<Record<string, { type: 'entries'; of: AnyAction }>>;
  required: readonly [];
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
  return Object.fromEntries(names.map(name => [name, numberVariables[name] ?? 'string']));
};

/** Whether an entry, or a list of them, is or may be a gate, judged without trusting any of it. */
export function mayRefuse(node: Located): boolean {
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

function toHook(
  { value, node, index, report }: Entry<ActionEntry>,
  point: Point,
  grammar: Grammar,
  whole: TextFile,
): HookDefinition[] {
  const file = { ...whole, report };
  const { entry, commandKey = 'command' } = grammar.expand?.(value) ?? { entry: value };
  if (tellFlaws(grammar.flaws?.(entry, point.event) ?? [], node, report)) return [];
  const warn: Warn = (field, message, hint) => report.warning((childOf(node, field) ?? node).span, message, hint);
  const run = invocationOf(entry, childOf(node, commandKey) ?? node, grammar, file);
  if (run === undefined && entry.type === 'shell') return [];
  const built = buildAction(entry, run, grammar.isAwaited?.(entry, point));
  warnOfIdleFields(entry, built.wait, warn);
  const match = entry.when === undefined ? {} : { when: String(entry.when).trim() };
  const given: GivenHook = { ...point, ...built, match };
  return [hookFrom(file, node, index, grammar.extend?.(given, entry, warn) ?? given)];
}

/** What runs for a shell action; undefined where it cannot run safely, which is told. */
function invocationOf(
  { type, command, shell }: ActionEntry & { shell?: string },
  written: Located,
  grammar: Grammar,
  file: TextFile,
): Invocation | undefined {
  if (type !== 'shell' || command === undefined) return undefined;
  const isKnown = (name: string): boolean => Object.hasOwn(grammar.variables, name);
  const via = shell === 'bash' ? 'bash' : grammar.via;
  return compileReferences({ command, node: written }, via, isKnown, file);
}

function warnOfIdleFields(entry: ActionEntry, wait: boolean, warn: Warn): void {
  if (entry.on_failure === 'abort' && !wait)
    warn('on_failure', 'on_failure: abort has no effect: no one waits for this action', 'add await: true');
  if (entry.retries !== undefined && entry.on_failure !== 'retry' && entry.url === undefined)
    warn('retries', 'retries counts only with on_failure: retry', 'add on_failure: retry');
  if (entry.then !== undefined && entry.on_failure !== 'retry')
    warn('then', 'then counts only with on_failure: retry', 'add on_failure: retry');
}
