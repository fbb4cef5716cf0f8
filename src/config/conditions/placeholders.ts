/** What is wrong with a condition; `offset` and `length` count in the text as its author wrote it. */
export interface ConditionFlaw {
  kind: 'flaw';
  message: string;
  hint?: string;
  offset: number;
  length: number;
}

/** Turns `${NAME}` into `NAME`, padded with blanks so that every offset stays the same. */
export function bareNames(text: string): { kind: 'ok'; cel: string } | ConditionFlaw {
  let cel = '';
  for (const token of text.matchAll(tokens)) {
    const [written] = token;
    const { name, literal } = token.groups as { name?: string; literal?: string };
    const quoted = literal === undefined ? null : placeholder.exec(literal);
    if (quoted) return inQuotes(written, quoted, token.index);
    cel += name === undefined ? written : `  ${name} `;
  }
  return { kind: 'ok', cel };
}

const placeholder = /\$\{([A-Za-z_]\w*)\}/;

/** Comments, literals (raw, triple or plain; one that is never closed runs to the end), placeholders, any other character. */
const tokens =
  /\/\/[^\n]*|(?<literal>[rR]?(?:""".*?(?:"""|$)|'''.*?(?:'''|$))|[rR](?:"[^"\n]*"?|'[^'\n]*'?)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|\$\{(?<name>[A-Za-z_]\w*)\}|./gs;

function inQuotes(literal: string, found: RegExpExecArray, at: number): ConditionFlaw {
  const [whole, name] = found;
  const alone = literal.slice(1, -1) === whole;
  return {
    kind: 'flaw',
    message: `${whole} stands in quotes, where it is only text`,
    hint: alone ? `drop the quotes: \${${name}}` : `write \${${name}} outside the quotes`,
    offset: alone ? at : at + found.index,
    length: alone ? literal.length : whole.length,
  };
}
