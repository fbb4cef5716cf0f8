import { checkCondition } from '../../config/conditions/check.ts';
import { placeInScalar } from '../../config/conditions/place.ts';
import type { VariableTypes } from '../../config/conditions/variables.ts';
import { childOf, itemsOf, type Located } from '../../config/located.ts';
import { didYouMean } from '../../config/nearest.ts';
import { read } from '../../config/read.ts';
import type { Report } from '../../config/report.ts';
import { json, list, type RecordShape, record } from '../../config/shape.ts';
import type { Action, DialectName, EventName, Found, HookDefinition, Invocation } from '../../model/index.ts';
import type { ActionEntry } from './action-shapes.ts';
import { buildAction } from './actions.ts';
import { compileReferences } from './command.ts';
import { hookFromFile } from './hook.ts';
import { mayRefuse } from './may-refuse.ts';
import { fieldFlaws } from './webhook-checks.ts';

type Given = Parameters<typeof hookFromFile>[5];

/** agent-pipelines' grammar as one dialect speaks it. */
export interface Grammar {
  dialect: DialectName;
  events: Readonly<Record<string, readonly EventName[]>>;
  via: 'sh' | 'bash';
  shapes: Readonly<Partial<Record<Action['kind'], RecordShape>>>;
  variables: VariableTypes;
  /** Nothing runs while any entry has an error; else only those that are or may be gates have that effect. */
  everyErrorRefuses?: true;
  /** Adds what only this dialect knows; `entry` is as its own shape read it. */
  extend?(given: Given, entry: ActionEntry, warn: (field: string, message: string, hint?: string) => void): Given;
  /** What is wrong with fields that only this dialect knows. */
  flaws?(entry: ActionEntry, event: EventName): readonly { field: string; message: string; hint?: string }[];
  /** Whether an entry is awaited that does not say so itself; undefined: as usual for its action. */
  waits?(entry: ActionEntry, point: Point): boolean | undefined;
}

/** An event, and how the file spells it. */
export interface Point {
  event: EventName;
  spelling: string;
}

type TextFile = Extract<Found, { kind: 'text' }>;

/** Reads `hooks: { POINT: [actions] }`. Every entry is read by itself: a bad one is a problem, the rest counts. */
export function readHooksBlock(
  block: Located,
  grammar: Grammar,
  found: TextFile,
  report: Report,
): readonly HookDefinition[] {
  if (isNothing(block)) return [];
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
      events.flatMap(event => readEntry(node, index, { event, spelling: key }, grammar, found, refusingFor(node))),
    );
  });
}

const isNothing = (node: Located): boolean => node.kind === 'scalar' && node.value === null;

function readEntry(
  node: Located,
  index: number,
  point: Point,
  grammar: Grammar,
  found: TextFile,
  report: Report,
): HookDefinition[] {
  const kind = kindOf(node, grammar, report);
  const when = conditionOf(node, grammar, found, report);
  if (kind === undefined) return [];
  // Which shape it is shows only now; each has a part of ActionEntry's fields.
  const entry: ActionEntry | undefined = read<never>(node, grammar.shapes[kind]! as never, report);
  if (entry === undefined || when === wrong) return [];
  const flaws = [...fieldFlaws(entry), ...(grammar.flaws?.(entry, point.event) ?? [])];
  for (const { field, message, hint } of flaws) report.error((childOf(node, field) ?? node).span, message, hint);
  if (flaws.length > 0) return [];
  const warn = (field: string, message: string, hint?: string) =>
    report.warning((childOf(node, field) ?? node).span, message, hint);
  const run = invocationOf(entry, node, grammar, found, report);
  if (run === undefined && kind === 'shell') return [];
  const built = buildAction(kind, entry, run, grammar.waits?.(entry, point));
  warnOfIdleFields(entry, built.wait, warn);
  const given: Given = { ...point, ...built, match: when === undefined ? {} : { when } };
  const complete = grammar.extend?.(given, entry, warn) ?? given;
  return [hookFromFile(grammar.dialect, found, report, node.span, index, complete)];
}

/** What runs for a shell action; undefined where it cannot run safely, which is told. */
function invocationOf(
  entry: ActionEntry & { shell?: string },
  node: Located,
  grammar: Grammar,
  found: TextFile,
  report: Report,
): Invocation | undefined {
  const written = childOf(node, 'command');
  if (entry.command === undefined || !written) return undefined;
  const { command, shell } = entry;
  const isKnown = (name: string): boolean => Object.hasOwn(grammar.variables, name);
  const via = shell === 'bash' ? 'bash' : grammar.via;
  return compileReferences({ command, span: written.span, text: found.text }, via, isKnown, report);
}

function warnOfIdleFields(
  entry: ActionEntry,
  wait: boolean,
  warn: (field: string, message: string, hint?: string) => void,
): void {
  if (entry.on_failure === 'abort' && !wait)
    warn('on_failure', 'on_failure: abort cannot act: nobody waits for this action', 'add await: true');
  if (entry.retries !== undefined && entry.on_failure !== 'retry' && entry.url === undefined)
    warn('retries', 'retries counts only with on_failure: retry', 'add on_failure: retry');
  if (entry.then !== undefined && entry.on_failure !== 'retry')
    warn('then', 'then counts only with on_failure: retry', 'add on_failure: retry');
}

function kindOf(node: Located, grammar: Grammar, report: Report): Action['kind'] | undefined {
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
  if (type.kind === 'scalar' && kinds.includes(String(type.value))) return type.value as Action['kind'];
  read(type, { type: 'text', values: kinds }, report);
  return undefined;
}

const wrong = Symbol('wrong');

function conditionOf(
  node: Located,
  grammar: Grammar,
  found: TextFile,
  report: Report,
): string | undefined | typeof wrong {
  const when = childOf(node, 'when');
  if (when?.kind !== 'scalar') return undefined;
  if (typeof when.value === 'boolean') return String(when.value);
  if (typeof when.value !== 'string') return undefined;
  const checked = checkCondition(when.value, grammar.variables);
  if (checked.kind === 'ok') return checked.condition;
  const { message, hint } = checked;
  const span = placeInScalar(found.text, when.span, when.value, checked);
  report.flaw({ message, ...(hint !== undefined && { hint }), span });
  return wrong;
}
