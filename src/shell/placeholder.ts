import { type Danger, dangersIn } from './danger.ts';
import { overwritten } from './flow.ts';
import { type Hole, mask, type Plain, quotingOf } from './holes.ts';
import { parseCommands } from './parse.ts';
import { explain } from './refusal.ts';
import type { ReadText } from './roles/reading.ts';
import { readText } from './roles/roles.ts';
import type { Quoting } from './syntax/scan.ts';

export type { Plain };

/** How a dialect writes placeholders. `pattern` is global and its first group is the name. */
export interface Grammar {
  pattern: RegExp;
  /** The environment variable that holds the value; undefined: no such placeholder, the text stays as it is. */
  variableOf(name: string): string | undefined;
  /** Whether a variable holds a number or an id, which is no code. */
  plainOf?(variable: string): Plain | undefined;
}

export type CompiledCommand =
  | {
      kind: 'compiled';
      script: string;
      variables: readonly string[];
      /** Variables that stand where a text would run as code. */
      plain: Readonly<Record<string, Plain>>;
      unknown: readonly { name: string; offset: number; length: number }[];
    }
  | Refused;

export interface Refused {
  kind: 'refused';
  offset: number;
  length: number;
  message: string;
  hint: string;
}

/** No system starts a shell with more text than this; Linux sets the limit at 128 KiB. */
const LENGTH_LIMIT = 131_072;
const tooLong: Danger = { kind: 'trouble', why: 'it is longer than 128 KiB' };

/**
 * Turns placeholders into references to environment variables, quoted for where they stand. Contract: pure, never throws;
 * each value reaches its program as one exact word, or the command is refused. Without placeholders it stays as it is.
 */
export function compileCommand(text: string, grammar: Grammar): CompiledCommand {
  const { holes, unknown } = findHoles(text, grammar);
  const variables = [...new Set(holes.map(hole => hole.variable))];
  if (holes.length === 0) return { kind: 'compiled', script: text, variables, plain: {}, unknown };
  if (text.length > LENGTH_LIMIT) return refuse(text, tooLong, holes, grammar);
  const { read, plain, danger } = check(text, holes, grammar, dangerOf);
  if (danger) return refuse(text, danger, holes, grammar);
  const script = fill(text, holes, quotingOf(holes, read.changes));
  return { kind: 'compiled', script, variables, plain, unknown };
}

/** `${NAME}` in a command, which is the shell's own way to write a value. */
export interface References {
  isKnown(name: string): boolean;
  plainOf(name: string): Plain | undefined;
}

/**
 * Puts bare references to values in quotes, so that each is one word. All else is left to the shell, which fills them in;
 * a command in which a value would be read once more, as code, is refused. Contract: pure, never throws.
 */
export function quoteReferences(
  text: string,
  references: References,
): { kind: 'compiled'; script: string; plain: Readonly<Record<string, Plain>> } | Refused {
  const grammar: Grammar = {
    pattern: /\$\{(\w+)\}/g,
    variableOf: name => (references.isKnown(name) ? name : undefined),
    plainOf: name => references.plainOf(name),
  };
  const { holes: found } = findHoles(text, grammar);
  const untouched = { kind: 'compiled', script: text, plain: {} } as const;
  if (found.length === 0 || text.length > LENGTH_LIMIT) return untouched;
  const seen = quotingOf(found, parseCommands(mask(text, found)).changes);
  const holes = found.map((hole, index) => ({ ...hole, literal: literal.has(seen[index]!) }));
  const { read, plain, danger } = check(text, holes, grammar, shownDanger);
  if (danger) return refuse(text, danger, holes, grammar);
  if (read.trouble) return { ...untouched, plain };
  const quotings = quotingOf(holes, read.changes);
  const bare = holes.filter((hole, index) => quotings[index] === 'bare' && !hole.literal);
  const script = fill(
    text,
    bare,
    bare.map(() => 'bare'),
  );
  return { kind: 'compiled', script, plain };
}

/** Here `${NAME}` is text: the shell fills in nothing. */
const literal: ReadonlySet<Quoting> = new Set<Quoting>(['single', 'comment', 'ansi', 'quoted-heredoc', 'delimiter']);

/** What the author has written in the shell's own language is left to it, unless it can be shown that a value runs. */
function isCode(danger: Danger): boolean {
  switch (danger.kind) {
    case 'quoting':
      return danger.asName === true;
    case 'role':
      return ['code', 'program', 'name', 'script'].includes(danger.role);
    case 'stdin':
      return danger.maybe === undefined;
    case 'redirection':
      return danger.hole !== undefined;
    default:
      return ['flow', 'file', 'variable'].includes(danger.kind);
  }
}

function findHoles(text: string, { pattern, variableOf }: Grammar) {
  const holes: Hole[] = [];
  const unknown: { name: string; offset: number; length: number }[] = [];
  for (const found of text.matchAll(pattern)) {
    const name = found[1] ?? '';
    const length = found[0].length;
    if (length === 0) continue;
    const variable = variableOf(name);
    if (variable === undefined) unknown.push({ name, offset: found.index, length });
    else holes.push({ start: found.index, end: found.index + length, variable });
  }
  return { holes, unknown };
}

interface Checked {
  read: ReadText;
  /** The variables that have to be plain. */
  plain: Readonly<Record<string, Plain>>;
  danger?: Danger | undefined;
}

type FindDanger = (read: ReadText, holes: readonly Hole[]) => Danger | undefined;

/** Looks for a value that could be more than a word; where one could, whether it is enough that numbers and ids are what they are. */
function check(text: string, holes: readonly Hole[], { plainOf }: Grammar, find: FindDanger): Checked {
  const read = readText(mask(text, holes));
  const danger = find(read, holes);
  const plain = holes.map((hole): Hole => ({ ...hole, plain: plainOf?.(hole.variable) }));
  const variables = new Map(plain.flatMap(hole => (hole.plain ? [[hole.variable, hole.plain]] : [])));
  if (!danger || variables.size === 0) return { read, plain: {}, danger };
  const kinds = [...variables].map(([variable, kind]): [string, Plain] => [
    variable,
    kind === 'id' && isNamed(text, plain, variable) ? 'number' : 'id',
  ]);
  return { read, plain: Object.fromEntries(kinds), danger: find(readText(mask(text, plain)), plain) };
}

/** In a dialect's own placeholders: each has to become one exact word. */
function dangerOf(read: ReadText, holes: readonly Hole[]): Danger | undefined {
  const name = overwritten(read, [...new Set(holes.map(hole => hole.variable))]);
  if (name !== undefined) return { kind: 'overwritten', name };
  const [danger] = dangersIn(read, textsIn(holes));
  return danger ?? unreachable(holes, quotingOf(holes, read.changes));
}

/** In the shell's own references: only what is shown to run counts. */
const shownDanger: FindDanger = (read, holes) => firstDanger(read, holes, isCode);

function firstDanger(read: ReadText, holes: readonly Hole[], counts: (danger: Danger) => boolean): Danger | undefined {
  // What stands in `'...'` may be code in which the variable is used.
  const names = new Set(holes.flatMap(({ plain, literal, variable }) => (literal && !plain ? [variable] : [])));
  for (const danger of dangersIn(read, textsIn(holes), { exact: names, all: names })) if (counts(danger)) return danger;
  return undefined;
}

const textsIn = (holes: readonly Hole[]): Hole[] => holes.filter(({ plain, literal }) => !plain && !literal);

/** Whether an id gets to where names are evaluated: `a` in bash's `$(( ))` is what the variable `a` holds. */
function isNamed(text: string, plain: readonly Hole[], variable: string): boolean {
  const holes = plain.map((hole): Hole => ({ ...hole, plain: hole.variable === variable ? undefined : 'number' }));
  return firstDanger(readText(mask(text, holes)), holes, ({ asName }) => asName === true) !== undefined;
}

/** Where the shell fills in nothing, a number is as lost as a text. */
function unreachable(holes: readonly Hole[], quotings: readonly Quoting[]): Danger | undefined {
  const index = quotings.findIndex(quoting => quoting === 'quoted-heredoc' || quoting === 'delimiter');
  return index < 0 ? undefined : { kind: 'quoting', quoting: quotings[index]!, hole: holes[index]! };
}

function refuse(text: string, danger: Danger, holes: readonly Hole[], grammar: Grammar): Refused {
  const hole = danger.hole ?? holes[0]!;
  return {
    kind: 'refused',
    offset: hole.start,
    length: hole.end - hole.start,
    ...explain(text, danger, hole, command => {
      const compiled = compileCommand(command, grammar);
      return compiled.kind === 'compiled' ? compiled.script : undefined;
    }),
  };
}

const reference = (variable: string): string => `\${${variable}}`;
const references: Partial<Record<Quoting, (variable: string) => string>> = {
  bare: variable => `"${reference(variable)}"`,
  single: variable => `'"${reference(variable)}"'`,
  ...{ double: reference, heredoc: reference },
  // Only what is plain gets here.
  ...{ arithmetic: reference, parameter: reference, backquote: reference },
  ansi: variable => `'"${reference(variable)}"$'`,
};

function fill(text: string, holes: readonly Hole[], quotings: readonly Quoting[]): string {
  let script = '';
  let at = 0;
  for (const [index, { start, end, variable }] of holes.entries()) {
    const refer = references[quotings[index]!];
    script += text.slice(at, start) + (refer ? refer(variable) : text.slice(start, end));
    at = end;
  }
  return script + text.slice(at);
}
