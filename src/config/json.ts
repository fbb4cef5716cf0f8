import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import {
  broken,
  createLimits,
  type Flaw,
  guardParse,
  type Located,
  type LocatedEntry,
  type Parsed,
  type Scalar,
} from './located.ts';

/** Strict JSON: no comments, no trailing commas. An empty text is an empty file. */
export const parseJson = (text: string): Parsed => parseText(text, false);

/** With comments and trailing commas, as agents let people write their settings. */
export const parseJsonc = (text: string): Parsed => parseText(text, true);

function parseText(text: string, isRelaxed: boolean): Parsed {
  return guardParse(text, () => {
    const errors: ParseError[] = [];
    const options = { disallowComments: !isRelaxed, allowTrailingComma: isRelaxed, allowEmptyContent: true };
    const tree = parseTree(text, errors, options);
    const first = errors[0];
    if (first) return broken(describe(first));
    const flaws: Flaw[] = [];
    return { kind: 'parsed', root: tree && locate(tree, flaws), flaws };
  });
}

function locate(tree: Node, flaws: Flaw[]): Located {
  const limits = createLimits();
  const visit = (node: Node, depth: number): Located => {
    limits.enter(depth);
    const span = { start: node.offset, end: node.offset + node.length };
    if (node.type === 'array')
      return { kind: 'list', span, items: (node.children ?? []).map(child => visit(child, depth + 1)) };
    if (node.type !== 'object') return { kind: 'scalar', span, value: node.value as Scalar };
    const entries = (node.children ?? []).flatMap((property): LocatedEntry[] => {
      const [key, value] = property.children ?? [];
      if (!key || !value) return [];
      const keySpan = { start: key.offset, end: key.offset + key.length };
      return [{ key: String(key.value), keySpan, value: visit(value, depth + 1) }];
    });
    return { kind: 'map', span, entries: lastOfEach(entries, flaws) };
  };
  return visit(tree, 0);
}

/** JSON takes the last of equal keys; say so, since the first was surely meant as well. */
function lastOfEach(entries: readonly LocatedEntry[], flaws: Flaw[]): readonly LocatedEntry[] {
  const last = new Map(entries.map(entry => [entry.key, entry]));
  if (last.size === entries.length) return entries;
  for (const entry of entries)
    if (last.get(entry.key) !== entry)
      flaws.push({ message: `"${entry.key}" is given twice; only the last one counts`, span: entry.keySpan });
  return [...last.values()];
}

const hints: Record<string, string> = {
  InvalidCommentToken: 'JSON has no comments: remove it',
  PropertyNameExpected: 'write a name in double quotes, or remove the comma before it',
  ValueExpected: 'write a value, or remove the comma before it',
  CommaExpected: 'put a comma between the two entries',
  ColonExpected: 'put a colon after the name',
  CloseBraceExpected: 'close the object with }',
  CloseBracketExpected: 'close the list with ]',
  EndOfFileExpected: 'remove what follows the end of the JSON value',
  InvalidSymbol: 'only true, false, null, numbers and texts in double quotes are values',
  UnexpectedEndOfString: 'close the text with a double quote on the same line',
  InvalidEscapeCharacter: 'write \\\\ for a backslash',
  InvalidCharacter: 'write \\n, \\t or \\u0000 for control characters',
};

function describe(error: ParseError): Flaw {
  const code = printParseErrorCode(error.error);
  const words = code.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const hint = hints[code];
  return {
    message: `not valid JSON: ${words}`,
    ...(hint && { hint }),
    span: { start: error.offset, end: error.offset + error.length },
  };
}
