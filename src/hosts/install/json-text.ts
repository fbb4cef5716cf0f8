import type { Located, Span } from '../../config/located.ts';

/** A map or a list in a text, and what stands in it. */
export interface Container {
  span: Span;
  children: readonly Span[];
}

export function containerOf(node: Located): Container | undefined {
  if (node.kind === 'list') return { span: node.span, children: node.items.map(item => item.span) };
  if (node.kind !== 'map') return undefined;
  return {
    span: node.span,
    children: node.entries.map(entry => ({ start: entry.keySpan.start, end: entry.value.span.end })),
  };
}

/**
 * Puts a child behind the last one, on lines of its own. What closes the container stays where it is: so taking the
 * child out leaves no trace, also where all the others stand in a row.
 */
export function insertChild(text: string, { span, children }: Container, child: ChildText): string {
  const close = span.end - 1;
  const last = children.at(-1);
  const style = styleOf(text);
  if (!last) return fillEmpty(text, span, child, style);
  const indent = isAloneBefore(text, last.start) ? indentAt(text, last.start) : indentAt(text, span.start) + style.unit;
  const comma = commaIn(text, last.end, close);
  const from = comma === undefined ? last.end : comma + 1;
  const at = endOfRemark(text, from, close);
  const added = `${style.eol}${indent}${child.text(indent, style)}${comma === undefined ? '' : ','}`;
  return splice(splice(text, at, at, added), last.end, last.end, comma === undefined ? ',' : '');
}

/** Takes a child out, with its comma and its line. Remarks stay. */
export function removeChild(text: string, { span, children }: Container, index: number): string {
  const { start, end } = children[index]!;
  const close = span.end - 1;
  if (children.length === 1 && /^\s*,?\s*$/.test(text.slice(span.start + 1, start) + text.slice(end, close)))
    return splice(text, span.start + 1, close, '');
  const after = commaIn(text, end, children[index + 1]?.start ?? close);
  const before = index > 0 && after === undefined ? commaIn(text, children[index - 1]!.end, start) : undefined;
  const from = startOfBlank(text, start, span.start + 1);
  const without = splice(text, from, after === undefined ? end : after + 1, '');
  return before === undefined ? without : splice(without, before, before + 1, '');
}

/** A child in the manner of the text that it is for. */
export interface ChildText {
  text(indent: string, style: Style): string;
}

export interface Style {
  unit: string;
  eol: string;
}

/** `key` is absent for a child of a list. */
export const childText = (value: unknown, key?: string): ChildText => ({
  text: (indent, { unit, eol }) =>
    (key === undefined ? '' : `${JSON.stringify(key)}: `) +
    JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`),
});

function fillEmpty(text: string, span: Span, child: ChildText, style: Style): string {
  const inner = text.slice(span.start + 1, span.end - 1);
  const keeps = inner.trimEnd();
  const at = span.start + 1 + keeps.length;
  const indent = indentAt(text, span.start);
  const deeper = indent + style.unit;
  return splice(text, at, span.end - 1, `${style.eol}${deeper}${child.text(deeper, style)}${style.eol}${indent}`);
}

function styleOf(text: string): Style {
  return { unit: /^(\t|[ ]{1,8})\S/m.exec(text)?.[1] ?? '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

const splice = (text: string, start: number, end: number, added: string): string =>
  text.slice(0, start) + added + text.slice(end);

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

const indentAt = (text: string, at: number): string => /^[ \t]*/.exec(text.slice(lineStart(text, at), at))![0];

const isAloneBefore = (text: string, at: number): boolean => text.slice(lineStart(text, at), at).trim() === '';

/** White space before a child, back to the end of what stands before it. */
function startOfBlank(text: string, start: number, limit: number): number {
  let at = start;
  while (at > limit && /\s/.test(text[at - 1]!)) at -= 1;
  // The end of a line that has a remark on it belongs to the remark.
  return at;
}

const remark = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;

/** The first comma outside of remarks. */
function commaIn(text: string, start: number, end: number): number | undefined {
  for (let at = start; at < end; ) {
    if (text[at] === ',') return at;
    remark.lastIndex = at;
    at += remark.exec(text)?.[0].length ?? 1;
  }
  return undefined;
}

/** A remark on the rest of the line belongs to what stands before it. */
function endOfRemark(text: string, from: number, limit: number): number {
  const [rest] = /^[^\r\n]*/.exec(text.slice(from, limit))!;
  return /^[ \t]*(\/\/.*|\/\*((?!\*\/).)*\*\/[ \t]*)$/.test(rest) ? from + rest.trimEnd().length : from;
}
