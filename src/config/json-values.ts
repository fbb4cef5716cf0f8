import { applyEdits, modify } from 'jsonc-parser';

/** A value of a JSON text, in a form that is the same for equal values; undefined where there is none, and `broken` where the text is no JSON. */
export function jsonValueAt(text: string, pointer: readonly string[]): string | undefined {
  if (text.trim() === '') return undefined;
  const found = valueIn(text, pointer);
  return found === 'broken' ? found : found.value === undefined ? undefined : canonical(found.value);
}

/**
 * The text with a value as another text has it, all else as it is; undefined where that cannot be done so that whoever
 * reads it finds that value.
 */
export function withValueOf(text: string, pointer: readonly string[], original: string): string | undefined {
  const wanted = valueIn(original, pointer);
  if (wanted === 'broken' || valueIn(text, pointer) === 'broken') return undefined;
  try {
    const path = pathIn(JSON.parse(text), pointer);
    const indent = /^\{?\s*\n(\t| +)/.exec(text)?.[1] ?? '  ';
    const formattingOptions = { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: '\n' };
    const edited = applyEdits(text, modify(text, path, wanted.value, { formattingOptions }));
    // Of keys that are given twice the last one counts, and the first was edited.
    return jsonValueAt(edited, pointer) === jsonValueAt(original, pointer) ? edited : undefined;
  } catch {
    return undefined;
  }
}

function valueIn(text: string, pointer: readonly string[]): { value: unknown } | 'broken' {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return 'broken';
  }
  for (const name of pointer) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return { value: undefined };
    value = (value as Record<string, unknown>)[name];
  }
  return { value };
}

/** Places in lists are numbers. */
function pathIn(root: unknown, pointer: readonly string[]): (string | number)[] {
  let value = root;
  return pointer.map(name => {
    const isList = Array.isArray(value);
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
    return isList && /^\d+$/.test(name) ? Number(name) : name;
  });
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // In their order: of scripts and hooks it may matter.
  return `{${Object.entries(value)
    .map(([key, child]) => `${JSON.stringify(key)}:${canonical(child)}`)
    .join(',')}}`;
}
