import type { Located, Span } from './located.ts';

/**
 * Puts a child behind the last one of a map or a list, on lines of its own. What closes the container stays where it is:
 * so taking the child out leaves no trace, also where all the others stand in a row. `key` is absent for a list.
 */
export function insertChild(text: string, container: Located, value: unknown, key?: string): string {
  const { start, end } = container.span;
  const { unit, eol } = styleOf(text);
  const childText = (indent: string): string =>
    (key === undefined ? '' : `${JSON.stringify(key)}: `) +
    JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
  const outer = indentAt(text, start);
  const last = childrenOf(container).at(-1);
  if (!last) {
    const at = start + 1 + text.slice(start + 1, end - 1).trimEnd().length;
    return splice(text, at, end - 1, `${eol}${outer}${unit}${childText(outer + unit)}${eol}${outer}`);
  }
  const indent = isAloneBefore(text, last.start) ? indentAt(text, last.start) : outer + unit;
  const comma = commaIn(text, last.end, end - 1);
  const at = endOfRemark(text, comma === undefined ? last.end : comma + 1, end - 1);
  const added = `${eol}${indent}${childText(indent)}${comma === undefined ? '' : ','}`;
  return splice(splice(text, at, at, added), last.end, last.end, comma === undefined ? ',' : '');
}

/** Takes a child out, with its comma and its line. Remarks stay. */
export function removeChild(text: string, container: Located, index: number): string {
  const children = childrenOf(container);
  const { start, end } = children[index]!;
  const [open, close] = [container.span.start + 1, container.span.end - 1];
  if (children.length === 1 && /^\s*,?\s*$/.test(text.slice(open, start) + text.slice(end, close)))
    return splice(text, open, close, '');
  const after = commaIn(text, end, children[index + 1]?.start ?? close);
  const before = index > 0 && after === undefined ? commaIn(text, children[index - 1]!.end, start) : undefined;
  const from = open + text.slice(open, start).trimEnd().length;
  const without = splice(text, from, after === undefined ? end : after + 1, '');
  return before === undefined ? without : splice(without, before, before + 1, '');
}

function childrenOf(node: Located): readonly Span[] {
  if (node.kind === 'list') return node.items.map(item => item.span);
  if (node.kind !== 'map') return [];
  return node.entries.map(({ keySpan, value }) => ({ start: keySpan.start, end: value.span.end }));
}

function styleOf(text: string): { unit: string; eol: string } {
  return { unit: /^(\t|[ ]{1,8})\S/m.exec(text)?.[1] ?? '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

const splice = (text: string, start: number, end: number, added: string): string =>
  text.slice(0, start) + added + text.slice(end);

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

const indentAt = (text: string, at: number): string => /^[ \t]*/.exec(text.slice(lineStart(text, at), at))![0];

const isAloneBefore = (text: string, at: number): boolean => text.slice(lineStart(text, at), at).trim() === '';

const remark = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;

/** The first comma outside remarks. */
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
