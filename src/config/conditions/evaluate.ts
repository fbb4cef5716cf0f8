import { type ASTNode, Environment, type Limits } from '@marcbachmann/cel-js';
import { type EvaluateCondition, numberVariables } from '../../model/ports.ts';

export { Environment };

/** Types were checked when the file was loaded; here values are only put in the place of names, never into the text. */
export const evaluateCondition: EvaluateCondition = (condition, variables) => {
  const { program, names, comprehensions } = programOf(condition);
  const values: Record<string, string | bigint | number> = {};
  for (const name of names) {
    const text = Object.hasOwn(variables, name) ? variables[name]! : '';
    if (comprehensions.length > 0 && text.length > maxListedLength)
      throw new Error(`${name} is too long (${text.length} characters) for a condition that goes through a list`);
    const type = Object.hasOwn(numberVariables, name) ? numberVariables[name] : undefined;
    values[name] = type === 'int' ? toInt(text) : type === 'double' ? toDouble(text) : text;
  }
  const answer = answerOf(program, values);
  if (typeof answer !== 'boolean') throw new Error(`the condition yields neither true nor false: ${condition}`);
  return answer;
};

/** The same for values that are no variables of an event. */
export const evaluateOver = (condition: string, values: Readonly<Record<string, unknown>>): unknown =>
  answerOf(programOf(condition).program, values);

/** The library's message draws the condition with a caret over several lines; its summary is one. */
function answerOf(program: (values: Record<string, unknown>) => unknown, values: Record<string, unknown>): unknown {
  try {
    return program(values);
  } catch (error) {
    throw new Error((error as { summary?: string }).summary ?? String(error), { cause: error });
  }
}

/** A condition is one line in a hook; one beyond these limits was made to hurt. */
export const limits: Partial<Limits> = {
  maxAstNodes: 1000,
  maxDepth: 50,
  maxListElements: 100,
  maxMapEntries: 100,
  maxCallArguments: 8,
};

const environment = new Environment({ unlistedVariablesAreDyn: true, limits });
const programs = new Map<string, ReturnType<typeof compile>>();
const maxPrograms = 1000;

function programOf(condition: string): ReturnType<typeof compile> {
  const known = programs.get(condition);
  if (known) return known;
  const bare = bareNames(condition);
  if (bare.kind === 'flaw') throw new Error(bare.message);
  const compiled = compile(bare.cel, environment);
  if (compiled.regex) throw new Error('matches() is not available in conditions');
  if (compiled.comprehensions.length > 1) throw new Error('a condition goes through at most one list');
  // A long-lived server meets new conditions for ever.
  if (programs.size >= maxPrograms) programs.clear();
  programs.set(condition, compiled);
  return compiled;
}

/** Each item of a list that is made of a text may cost as much as the whole text. */
const maxListedLength = 256 * 1024;

const toInt = (text: string): bigint => (/^-?\d{1,18}$/.test(text) ? BigInt(text) : 0n);

const toDouble = (text: string): number => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : 0);

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
