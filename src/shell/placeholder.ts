import { type Danger, dangersIn } from './danger.ts';
import { type Carriers, overwritten } from './flow.ts';
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
  const checked = check(text, holes, grammar);
  if (checked.danger) return refuse(text, checked.danger, holes, grammar);
  const script = fill(text, checked.holes, quotingOf(checked.holes, checked.changes));
  return { kind: 'compiled', script, variables, plain: plainIn(checked), unknown };
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
  const checked = check(text, holes, grammar, true);
  if (checked.danger) return refuse(text, checked.danger, holes, grammar);
  if (parseCommands(mask(text, holes)).trouble) return { ...untouched, plain: plainIn(checked) };
  const quotings = quotingOf(holes, checked.changes);
  const bare = holes.filter((hole, index) => quotings[index] === 'bare' && !hole.literal);
  return {
    kind: 'compiled',
    script: fill(
      text,
      bare,
      bare.map(() => 'bare'),
    ),
    plain: plainIn(checked),
  };
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

const isName = (danger: Danger): boolean => danger.asName === true;

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
  /** Those that have to be plain say so. */
  holes: readonly Hole[];
  /** Variables of ids that have to be numbers. */
  numbers: ReadonlySet<string>;
  changes: ReturnType<typeof parseCommands>['changes'];
  danger?: Danger;
}

/**
 * Looks for a value that could be more than a word; where one could, whether it is enough that numbers and ids are what they are.
 * `isShell`: the author writes the shell's own references, so only what is shown to run counts.
 */
function check(text: string, holes: readonly Hole[], { plainOf }: Grammar, isShell = false): Checked {
  const first = inspect(text, holes, isShell);
  if (!first.danger) return first;
  const plain = holes.map((hole): Hole => {
    const kind = plainOf?.(hole.variable);
    return kind === undefined ? hole : { ...hole, plain: kind };
  });
  if (plain.every(hole => hole.plain === undefined)) return first;
  const ids = new Set(plain.flatMap(hole => (hole.plain === 'id' ? [hole.variable] : [])));
  const numbers = new Set([...ids].filter(variable => isNamed(text, plain, variable)));
  return { ...inspect(text, plain, isShell), numbers };
}

function inspect(text: string, holes: readonly Hole[], isShell: boolean): Checked {
  const read = readText(mask(text, holes));
  const { changes } = read;
  const name = isShell ? undefined : overwritten(read, [...new Set(holes.map(hole => hole.variable))]);
  const danger: Danger | undefined = isShell
    ? firstDanger(read, holes, carriersFor(holes), isCode)
    : name === undefined
      ? (firstDanger(read, holes) ?? unreachable(holes, quotingOf(holes, changes)))
      : { kind: 'overwritten', name };
  return { holes, numbers: new Set(), changes, ...(danger && { danger }) };
}

function firstDanger(
  read: ReadText,
  holes: readonly Hole[],
  carriers?: Carriers,
  counts: (danger: Danger) => boolean = () => true,
): Danger | undefined {
  for (const danger of dangersIn(read, textsIn(holes), carriers)) if (counts(danger)) return danger;
  return undefined;
}

const textsIn = (holes: readonly Hole[]): Hole[] => holes.filter(({ plain, literal }) => !plain && !literal);

/** What stands in `'...'` may be code in which the variable is used. */
function carriersFor(holes: readonly Hole[]): Carriers {
  const names = new Set(holes.flatMap(({ plain, literal, variable }) => (literal && !plain ? [variable] : [])));
  return { exact: names, all: names };
}

/** Whether an id gets to where names are evaluated: `a` in bash's `$(( ))` is what the variable `a` holds. */
function isNamed(text: string, plain: readonly Hole[], variable: string): boolean {
  const holes = plain.map((hole): Hole => ({ ...hole, plain: hole.variable === variable ? undefined : 'number' }));
  return firstDanger(readText(mask(text, holes)), holes, carriersFor(holes), isName) !== undefined;
}

/** Where the shell fills in nothing, a number is as lost as a text. */
function unreachable(holes: readonly Hole[], quotings: readonly Quoting[]): Danger | undefined {
  const index = quotings.findIndex(quoting => quoting === 'quoted-heredoc' || quoting === 'delimiter');
  return index < 0 ? undefined : { kind: 'quoting', quoting: quotings[index]!, hole: holes[index]! };
}

const plainIn = ({ holes, numbers }: Checked): Readonly<Record<string, Plain>> =>
  Object.fromEntries(
    holes.filter(({ plain }) => plain).map(({ variable }) => [variable, numbers.has(variable) ? 'number' : 'id']),
  );

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
