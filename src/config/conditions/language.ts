import type { ASTNode, Environment, Limits } from '@marcbachmann/cel-js';

/** What a variable is inside a condition. */
export type VariableTypes = Readonly<Record<string, 'int' | 'string'>>;

/** Environment variables are texts; these two are numbers inside conditions. */
export const intVariables: ReadonlySet<string> = new Set(['ITERATION', 'MAX_ITERATIONS']);

/** A condition is one line in a hook; one beyond these limits was made to hurt. */
export const limits: Partial<Limits> = {
  maxAstNodes: 1000,
  maxDepth: 50,
  maxListElements: 100,
  maxMapEntries: 100,
  maxCallArguments: 8,
};

/** A parsed condition with every name in it. Contract: throws what the library throws for a text that is no CEL. */
export function compile(cel: string, environment: Environment) {
  const program = environment.parse(cel);
  const nodes = allNodes(program.ast);
  return {
    program,
    names: new Set(nodes.filter(node => node.op === 'id').map(node => node.args as string)),
    // A regular expression over text that a model wrote can run for hours.
    comprehensions: nodes.filter(node => node.op === 'rcall' && comprehensions.has(node.args[0] as string)),
    regex: nodes.find(node => (node.op === 'rcall' || node.op === 'call') && node.args[0] === 'matches'),
  };
}

/** What goes through a list: one inside or beside another multiplies, so a condition has one at most. */
const comprehensions: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

function allNodes(root: ASTNode): ASTNode[] {
  const nodes: ASTNode[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isNode(value)) {
      nodes.push(value);
      visit(value.args);
    }
  };
  visit(root);
  return nodes;
}

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'op' in value;

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
