import { durationSeconds, durationText } from '../model/duration.ts';
import { didYouMean, nearest } from '../model/nearest.ts';
import { childOf, flagOf, isNothing, type Located, type LocatedEntry } from './located.ts';
import type { Report } from './report.ts';
import {
  type Entry,
  type FieldFlaw,
  oneOf,
  type RecordShape,
  record,
  type Shape,
  type ValueOf,
  type VariantShape,
} from './shape.ts';

/**
 * Checks a node against a shape and returns its plain value. Everything wrong is reported at its place; a value with
 * errors anywhere inside is undefined, but for parts that stand for themselves. Unknown keys are errors where the shape is
 * closed, else warnings, since the original programs ignore them; an error is also what seems to be meant for the shape's
 * vital key, unless `x-` says that it is only a place for anchors.
 */
export function read<S extends Shape>(node: Located, shape: S, report: Report): ValueOf<S> | undefined {
  const value: unknown = readNode(node, shape as Shape, report);
  return (value === wrong ? undefined : value) as never;
}

/** Keys that would reach an object's prototype in careless code further on; no hook file needs them. */
export const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const wrong = Symbol('wrong');

function readNode(node: Located, shape: Shape, report: Report): unknown {
  switch (shape.type) {
    case 'json':
      return readJson(node, report);
    case 'entries':
      if (shape.orNothing && isNothing(node)) return [];
      return node.kind === 'list' ? readListed(node.items, shape, report) : mistyped(node, shape, report);
    case 'variant':
      return readVariant(node, shape, report);
    case 'duration':
      return readDuration(node, shape, report);
    case 'list':
      if (node.kind !== 'list') return mistyped(node, shape, report);
      if (shape.nonEmpty && node.items.length === 0) return fail(report, node, 'is empty', shape.doc);
      return allOf(node.items.map(item => readNode(item, shape.of, report)));
    case 'map':
      return node.kind === 'map' ? readEntries(node.entries, shape.of, report) : mistyped(node, shape, report);
    case 'record':
      if (shape.orNothing && isNothing(node)) return {};
      return node.kind === 'map' ? readRecord(node, shape, report) : mistyped(node, shape, report);
    case 'either': {
      const fitting = shape.of.find(option => fits(node, option));
      return fitting ? readNode(node, fitting, report) : mistyped(node, shape, report);
    }
    default:
      return readScalar(node, shape, report);
  }
}

function readScalar(
  node: Located,
  shape: Extract<Shape, { type: 'text' | 'number' | 'flag' }>,
  report: Report,
): unknown {
  if (node.kind !== 'scalar' || !fits(node, shape)) return mistyped(node, shape, report);
  const { value } = node;
  if (shape.type === 'flag' && typeof value === 'string') {
    report.warning(node.span, `"${value}" is a text in YAML 1.2 and is read as ${node.asFlag}`, `write ${node.asFlag}`);
    return node.asFlag;
  }
  if (shape.type === 'text') {
    const text = value as string;
    if (shape.values && !shape.values.includes(text)) {
      report.error(node.span, `"${text}" is not one of ${shape.values.join(', ')}`, didYouMean(text, shape.values));
      return wrong;
    }
    if (text.includes('\0')) return fail(report, node, 'holds a NUL character');
    if (shape.nonEmpty && !(shape.commas ? /[^,\s]/ : /\S/).test(text))
      return fail(report, node, 'is empty', shape.doc);
  }
  if (shape.type === 'number') {
    if (!Number.isFinite(value)) return fail(report, node, 'is not a finite number');
    if (shape.integer && !Number.isInteger(value)) return fail(report, node, 'must be a whole number');
    if (shape.min !== undefined && (value as number) < shape.min)
      return fail(report, node, `must be at least ${shape.min}`);
    if (shape.max !== undefined && (value as number) > shape.max)
      return fail(report, node, `must be at most ${shape.max}`);
  }
  return value;
}

function readListed(
  items: readonly Located[],
  { of, refuses }: Extract<Shape, { type: 'entries' }>,
  report: Report,
): Entry<unknown>[] {
  return items.flatMap((node, index) => {
    const own = refuses ? report.refusing(refuses(node)) : report;
    const value = readNode(node, of, own);
    return value === wrong ? [] : [{ value, node, index, report: own }];
  });
}

function readDuration(node: Located, shape: Extract<Shape, { type: 'duration' }>, report: Report): unknown {
  const value = node.kind === 'scalar' ? node.value : undefined;
  const written = typeof value === 'string' ? durationSeconds(value) : undefined;
  if (written !== undefined) return written;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return fail(report, node, 'is not a finite number');
    return value < 0 ? fail(report, node, 'must be at least 0') : value;
  }
  return mistyped(node, shape, report);
}

function readVariant(node: Located, shape: VariantShape, report: Report): unknown {
  const { of, noun, doc, keyed = {}, asText } = shape;
  const types = Object.keys(of);
  const type = childOf(node, 'type');
  if (asText !== undefined && isText(node)) {
    const value = readNode(node, keyed[asText]!.fields[asText]!, report);
    return value === wrong ? wrong : { [asText]: value };
  }
  if (shape.keyed && !type && node.kind === 'map') return readKeyed(node, shape, report);
  const typed = isText(type) && Object.hasOwn(of, type.value) ? of[type.value] : undefined;
  if (typed) return readNode(node, typed, report);
  if (noun === undefined || type)
    readNode(node, record({ type: oneOf(types, doc) }, { required: ['type'], open: true }), report);
  else if (node.kind === 'map') {
    const meant = types.find(each => childOf(node, mainKey(of[each]!)));
    report.error(node.span, '"type" is missing', `write type: ${meant ?? types.join(' | ')}`);
  } else {
    const long = `write "type: ${types[0]}" and "${mainKey(of[types[0]!]!)}: ..."`;
    const [what, hint] =
      asText === undefined
        ? ['a map with a type', isText(node) ? long : undefined]
        : ['a text or a map', `write a ${asText} command as a text, or { ${asText}: ... }`];
    report.error(node.span, `${noun} is ${what}`, hint);
  }
  return wrong;
}

/** A record is what its own key says; two such keys are two records. */
function readKeyed(
  node: Extract<Located, { kind: 'map' }>,
  { of, keyed = {}, noun }: VariantShape,
  report: Report,
): unknown {
  const known = Object.keys(keyed);
  const [first, second] = node.entries.filter(({ key }) => Object.hasOwn(keyed, key));
  if (first && !second) return readNode(node, keyed[first.key]!, report);
  if (first && second) {
    report.error(second.keySpan, `${first.key} and ${second.key} in one entry`, 'each is an entry of its own');
    return wrong;
  }
  const near = node.entries.find(({ key }) => nearest(key, known) !== undefined);
  if (near) report.error(near.keySpan, `unknown key "${near.key}"`, didYouMean(near.key, known));
  else {
    const typed = Object.keys(of).find(each => childOf(node, mainKey(of[each]!)));
    const isSpoken = typed !== undefined && Object.hasOwn(keyed, typed);
    const hint = isSpoken ? `write ${typed}: instead of ${mainKey(of[typed]!)}:` : `write one of ${known.join(', ')}`;
    report.error(node.span, `${noun ?? 'an entry'} is missing`, hint);
  }
  return wrong;
}

const isText = (node: Located | undefined): node is Located & { value: string } =>
  node?.kind === 'scalar' && typeof node.value === 'string';

/** The key without which a record of its type is nothing. */
const mainKey = ({ required }: RecordShape): string => required.find(key => key !== 'type') ?? '';

function readRecord(node: Extract<Located, { kind: 'map' }>, shape: RecordShape, report: Report): unknown {
  const result: Record<string, unknown> = {};
  let good = true;
  for (const entry of node.entries) {
    const own = shape.refuses ? report.refusing(shape.refuses(entry.value)) : report;
    const field = Object.hasOwn(shape.fields, entry.key) ? shape.fields[entry.key] : undefined;
    const value = field ? readNode(entry.value, field, own) : readUnknown(entry, shape, own);
    if (value === wrong) good = false;
    else if (field) result[entry.key] = value;
  }
  for (const key of shape.required) {
    if (node.entries.some(entry => entry.key === key)) continue;
    report.error(node.span, `"${key}" is missing`, shape.fields[key]?.doc && `${key}: ${shape.fields[key].doc}`);
    good = false;
  }
  if (tellFlaws(conflictsIn(result, shape), node, report)) good = false;
  if (tellFlaws(shape.check?.(result as never) ?? [], node, report)) good = false;
  return good || shape.each !== undefined ? result : wrong;
}

function* conflictsIn(values: Readonly<Record<string, unknown>>, { conflicts = [] }: RecordShape): Iterable<FieldFlaw> {
  for (const { fields, message, hint } of conflicts) {
    const holds = Object.entries(fields).every(([name, value]) =>
      value === null ? values[name] !== undefined : values[name] === value,
    );
    if (holds) yield { field: Object.keys(fields).at(-1)!, message, hint };
  }
}

/** Tells what is wrong with fields of a record, and says whether any of it is an error. */
export function tellFlaws(flaws: Iterable<FieldFlaw>, node: Located, report: Report): boolean {
  let isWrong = false;
  for (const { field, message, hint, offset, length = 0, isWarning } of flaws) {
    const at = childOf(node, field) ?? node;
    const span = offset === undefined ? at.span : report.partOf(at, { offset, length });
    report[isWarning ? 'warning' : 'error'](span, message, hint);
    isWrong ||= !isWarning;
  }
  return isWrong;
}

function readUnknown(entry: LocatedEntry, shape: RecordShape, report: Report): typeof wrong | undefined {
  const { key, keySpan } = entry;
  const { open, closed, each, vital } = shape;
  const isEvent = each !== undefined && closed;
  if (forbiddenKeys.has(key) && !isEvent) return refuseKey(entry, report);
  if (open) return undefined;
  const known = Object.keys(shape.fields);
  const misplaced = shape.misplaced && Object.hasOwn(shape.misplaced, key) ? shape.misplaced[key] : undefined;
  if (misplaced !== undefined) {
    report.error(keySpan, misplaced.message, misplaced.hint);
    return wrong;
  }
  const hint = didYouMean(key, known) ?? `${isEvent ? 'known' : 'known here'}: ${known.join(', ')}`;
  const isVital = vital !== undefined && !key.startsWith('x-') && nearest(key, known) === vital;
  const told = isVital ? report.refusing(true) : report;
  told[closed || isVital ? 'error' : 'warning'](keySpan, `unknown ${each ?? 'key'} "${key}"`, hint);
  return closed || isVital ? wrong : undefined;
}

function readEntries(entries: readonly LocatedEntry[], of: Shape, report: Report): unknown {
  const result: Record<string, unknown> = {};
  let good = true;
  for (const entry of entries) {
    const value = forbiddenKeys.has(entry.key) ? refuseKey(entry, report) : readNode(entry.value, of, report);
    if (value === wrong) good = false;
    else result[entry.key] = value;
  }
  return good ? result : wrong;
}

function readJson(node: Located, report: Report): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return allOf(node.items.map(item => readJson(item, report)));
  return readEntries(node.entries, { type: 'json' }, report);
}

const allOf = (values: readonly unknown[]): unknown => (values.includes(wrong) ? wrong : values);

function fits(node: Located, shape: Shape): boolean {
  if (shape.type === 'json') return true;
  if (shape.type === 'either') return shape.of.some(option => fits(node, option));
  if (shape.type === 'list' || shape.type === 'entries') return node.kind === 'list';
  if (shape.type === 'map' || shape.type === 'record' || shape.type === 'variant') return node.kind === 'map';
  if (shape.type === 'flag') return flagOf(node) !== undefined;
  if (shape.type === 'duration')
    return node.kind === 'scalar' && (typeof node.value === 'number' || durationText.test(String(node.value)));
  return node.kind === 'scalar' && typeof node.value === { text: 'string', number: 'number' }[shape.type];
}

function mistyped(node: Located, shape: Shape, report: Report): typeof wrong {
  report.error(node.span, `expected ${nameOf(shape)}, found ${foundName(node)}`, hintFor(node, shape));
  return wrong;
}

function fail(report: Report, node: Located, what: string, hint?: string): typeof wrong {
  const shown =
    node.kind !== 'scalar'
      ? 'the value'
      : typeof node.value === 'number'
        ? String(node.value)
        : JSON.stringify(node.value);
  report.error(node.span, `${shown.length > 40 ? `${shown.slice(0, 40)}...` : shown} ${what}`, hint);
  return wrong;
}

function refuseKey(entry: LocatedEntry, report: Report): typeof wrong {
  report.error(entry.keySpan, `the key "${entry.key}" is not allowed`, 'choose another name');
  return wrong;
}

function nameOf(shape: Shape): string {
  if (shape.type === 'either') return shape.of.map(nameOf).join(' or ');
  if (shape.type === 'number')
    return shape.unit ? `a number of ${shape.unit}` : shape.integer ? 'a whole number' : 'a number';
  return names[shape.type];
}

const names = {
  ...{ text: 'a text', flag: 'true or false', json: 'a value', duration: 'a duration' },
  ...{ list: 'a list', entries: 'a list' },
  ...{ map: 'a map', record: 'a map', variant: 'a map' },
};

function foundName(node: Located): string {
  if (node.kind !== 'scalar') return node.kind === 'list' ? 'a list' : 'a map';
  if (node.value === null) return 'nothing';
  return `${{ string: 'the text', number: 'the number', boolean: 'the flag' }[typeof node.value as 'string']} ${JSON.stringify(node.value).slice(0, 40)}`;
}

function hintFor(node: Located, shape: Shape): string | undefined {
  if (node.kind !== 'scalar')
    return shape.type === 'list' || shape.type === 'entries' ? 'write a list, even for a single entry' : undefined;
  const value = node.value;
  if (shape.type === 'duration') return 'write seconds, or 500ms, 30s, 2m, 1h';
  if (shape.type === 'number' && typeof value === 'string') return numberHint(value, shape.unit);
  if (shape.type === 'flag' && typeof value === 'string')
    return /^(y|yes|on|true|1)$/i.test(value) ? 'write true' : 'write true or false without quotes';
  if (value === null) return shape.doc;
  const isText = shape.type === 'text' || (shape.type === 'either' && shape.of.some(({ type }) => type === 'text'));
  return isText ? `put it in quotes: "${value}"` : undefined;
}

function numberHint(written: string, unit: 'seconds' | undefined): string {
  const parts = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?\s*$/.exec(written);
  if (!parts?.[1]) return 'write a number without quotes';
  const factor = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }[parts[2] as 's'] ?? 1;
  return `write ${Number(parts[1]) * factor}${unit ? ` (${unit})` : ''}`;
}
