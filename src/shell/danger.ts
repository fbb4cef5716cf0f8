import {
  type Carriers,
  carriersIn,
  carriesValues,
  expandsOthers,
  feedsValues,
  inputs,
  isSpecial,
  runsWritten,
  substitutes,
  uses,
  type Written,
  writtenFiles,
} from './flow.ts';
import { type Hole, holeIn, quotingOf } from './holes.ts';
import { type Parsed, parseCommands } from './parse.ts';
import { shells } from './roles/programs.ts';
import { baseName, programOf, type Reading, type Role } from './roles/reading.ts';
import { readAll } from './roles/roles.ts';
import { type Command, HOLE, NUMBER, type Quoting, type Redirection, type Word } from './syntax/scan.ts';

/**
 * Why a value could be more than data in this command. Without a hole the way there leads through a variable or a pipe.
 * `asName`: it would be taken for the name of a variable or of a program.
 */
export type Danger = { hole?: Hole | undefined; asName?: true } & (
  | { kind: 'trouble'; why: string }
  | { kind: 'quoting'; quoting: Quoting }
  | { kind: 'role'; role: Role | 'unsure'; program: string; word?: Word | undefined }
  | { kind: 'flow'; into: string }
  | { kind: 'stdin'; maybe?: true }
  | { kind: 'file' }
  | { kind: 'variable'; name: string }
  | { kind: 'redirection'; operator: string }
  | { kind: 'overwritten'; name: string }
);

/** `carried`: values reach this text through variables, arguments or a pipe, whether it has holes or not. */
export interface Inspection {
  /** Masked. */
  text: string;
  holes: readonly Hole[];
  carried: boolean;
  /**
   * Which variables hold values, where only these count. Without it a value may be in any variable once it is in one:
   * a reader of other people's variables can be wrong about names, so what must be exact does not rely on them.
   */
  carriers?: Carriers;
  /** What a substitution prints may hold a value. */
  fed?: boolean;
  /** A value may be in what the whole text reads from stdin. */
  piped?: boolean;
  /** Files that may hold values. */
  written?: Written;
  depth: number;
  /** How many characters may still be read: texts inside of texts could multiply. */
  effort?: { left: number };
}

const NESTING_LIMIT = 10;
const EFFORT_LIMIT = 2_000_000;
/** Beyond it no one looks for what feeds what. */
const COMMAND_LIMIT = 500;
const evaluated = /^\$\{(!|#?[A-Za-z_0-9@*]+(\[(?![@*]\])|:[^-=?+]))/;
/** Values that never start with a dash: a number, and a path that is made absolute where it would. */
const dashless = new Set(['HOOK_FILE', 'HOOK_ITERATION']);
const isFile = /^(HOOK_)?FILE$/;

/** The first way in which a value could become code, a name or another word. Undefined: every value stays one exact word. */
export function findDanger(
  inspection: Inspection,
  parsed = parseCommands(inspection.text),
  counts: (danger: Danger) => boolean = () => true,
): Danger | undefined {
  for (const danger of dangersIn(inspection, parsed)) if (counts(danger)) return danger;
  return undefined;
}

type Dangers = Generator<Danger, void>;

function* dangersIn(inspection: Inspection, parsed = parseCommands(inspection.text)): Dangers {
  const effort = inspection.effort ?? { left: EFFORT_LIMIT };
  effort.left -= inspection.text.length + 100;
  if (inspection.depth > NESTING_LIMIT || effort.left < 0) {
    yield { kind: 'trouble', why: 'it is nested too deeply' };
    return;
  }
  const { holes } = inspection;
  if (parsed.trouble) yield { kind: 'trouble', why: parsed.trouble.why };
  const readings = readAll(parsed.commands);
  const fed = inspection.fed || feedsValues(parsed.commands, holes);
  const carried = inspection.carried || carriesValues(parsed, readings, { text: inspection.text, holes, fed });
  const written = writtenFiles(parsed.commands, readings, holes, { ...inspection, carried });
  const inner: Inspection = { ...inspection, carried, fed, written, effort };
  if (inspection.carriers) inner.carriers = carriersIn(parsed, readings, { ...inspection, fed });
  yield* inRegions(parsed, inner);
  yield* inQuoting(parsed, holes);
  const isFed = parsed.commands.some(({ stage, redirections }) => stage > 0 || redirections.some(({ body }) => body));
  for (const [index, command] of parsed.commands.entries()) {
    const reading = readings[index]!;
    yield* inNames(command, inner);
    yield* inAssignments(command, inner);
    yield* inRedirections(command, inner);
    const piped = isFedHere(command, parsed, inner);
    yield* inWords(reading, { ...inner, piped });
    if (piped) yield* inStdin(command, reading, isFed, inner);
    if (written && runsWritten(reading, command, written, holes)) yield { kind: 'file' };
    yield* inShellCode(reading, { ...inner, piped });
  }
  yield* inPrograms(parsed.programs, inner);
}

/** Whether a value may have reached this text: by any variable, or by those known to hold it (`exact`: unchanged). */
function reaches({ carried, carriers }: Inspection, source: string, how: 'exact' | 'all'): boolean {
  return carriers ? uses(source, carriers[how]) : carried;
}

/** Whether a value may be in what the command reads from stdin. Where its pipeline begins is not always known: then all before it counts. */
function isFedHere(command: Command, { commands }: Parsed, inspection: Inspection): boolean {
  const { text, holes, carriers, piped } = inspection;
  if (!carriers || piped || commands.length > COMMAND_LIMIT) return true;
  const joined = commands.filter(({ pipeline, stage }) => pipeline === command.pipeline && stage <= command.stage);
  const start = joined.find(({ kind, stage }) => kind === 'simple' && stage < command.stage)?.start ?? 0;
  const bodies = joined.flatMap(({ redirections }) => redirections.map(({ body }) => body?.end ?? 0));
  const end = Math.max(command.end, ...bodies);
  return holeIn(holes, { start, end }) !== undefined || uses(text.slice(start, end), carriers.all);
}

function* inRegions(parsed: Parsed, inspection: Inspection): Dangers {
  const { text, holes } = inspection;
  for (const region of parsed.regions) {
    const source = text.slice(region.start, region.end);
    const evaluates = region.kind === 'arithmetic' || evaluated.test(source.slice(0, 256));
    const hole = holeIn(holes, region);
    if (hole) yield { kind: 'quoting', quoting: region.kind, hole, ...(evaluates && { asName: true }) };
    if (region.kind !== 'backquote' && evaluates && reaches(inspection, source, 'exact'))
      yield { kind: 'flow', into: 'arithmetic', asName: true };
  }
}

function* inQuoting(parsed: Parsed, holes: readonly Hole[]): Dangers {
  const safe: readonly Quoting[] = ['bare', 'double', 'single', 'heredoc', 'comment'];
  const quotings = quotingOf(holes, parsed.changes);
  const index = quotings.findIndex(quoting => !safe.includes(quoting));
  if (index >= 0) yield { kind: 'quoting', quoting: quotings[index]!, hole: holes[index]! };
}

function* inNames({ kind, words }: Command, { holes }: Inspection): Dangers {
  const hole = (kind === 'for' || kind === 'function') && words[0] ? holeIn(holes, words[0]) : undefined;
  if (hole) yield { kind: 'role', role: 'name', program: kind, hole, asName: true };
}

function* inAssignments(command: Command, inspection: Inspection): Dangers {
  const { text, holes } = inspection;
  for (const { name, form, value } of command.assignments) {
    const hole = holeIn(holes, { start: command.start, end: value.end }) && holeIn(holes, value);
    if (hole && form !== 'plain') yield { kind: 'role', role: 'name', program: `${name}[]`, hole, asName: true };
    const source = text.slice(value.start, value.end);
    const mayHold = hole || (expandsOthers(source) && reaches(inspection, source, 'all'));
    if (mayHold && isSpecial(name)) yield { kind: 'variable', name, hole };
    if (form === 'plain') continue;
    const start = text.lastIndexOf('[', value.start);
    const inSubscript = form === 'subscript' ? holeIn(holes, { start, end: value.start }) : undefined;
    if (inSubscript) yield { kind: 'role', role: 'name', program: `${name}[]`, hole: inSubscript, asName: true };
    if (reaches(inspection, text.slice(command.start, value.end), 'exact'))
      yield { kind: 'flow', into: 'a subscript', asName: true };
  }
}

function* inRedirections(command: Command, { holes }: Inspection): Dangers {
  for (const { operator, target } of command.redirections) {
    const hole = holeIn(holes, target);
    if (hole && operator.endsWith('&')) yield { kind: 'redirection', operator, hole };
    // To shells without this operator a new command starts behind it.
    const behind = operator.startsWith('&') ? command.words.filter(word => word.start > target.start) : [];
    if (behind[0]) yield { kind: 'redirection', operator, hole: holeIn(holes, behind[0]) };
  }
}

function* inWords(reading: Reading, inspection: Inspection): Dangers {
  const { text, holes, piped } = inspection;
  const named = reading.runs.find(({ program }) => program.includes(NUMBER));
  if (named) yield { kind: 'role', role: 'program', program: named.program, asName: true };
  for (const { index, role, program } of reading.marks) {
    const word = reading.words[index];
    if (!word) continue;
    const isFilled = (word.start < 0 || reading.filled?.has(index)) && piped;
    const hole = holeIn(holes, word);
    const naming = (role === 'name' || role === 'program') && ({ asName: true } as const);
    if (isFilled || (hole && !isTame(role, word, hole))) yield { kind: 'role', role, program, hole, word, ...naming };
    if (flows(word, role, inspection)) {
      const into = role === 'program' ? 'the name of a program' : program;
      yield { kind: 'flow', into, ...naming };
    }
  }
  const { unsure } = reading;
  const first = unsure && reading.words[unsure.from];
  const hole = first && holeIn(holes, { start: first.start, end: Number.POSITIVE_INFINITY });
  const last = endOf(reading);
  if (unsure && hole && hole.start < last) {
    const before = reading.words.findLast(word => word.end <= hole.start);
    const role = /^-\w*c$/.test(before?.text ?? '') ? 'code' : 'unsure';
    yield { kind: 'role', role, program: unsure.program, hole };
  }
  // In bash `&&` and `||` belong to the test, elsewhere they end the command.
  const isSplit = reading.runs.some(({ program, end }) => program === '[[' && reading.words[end - 1]?.text !== ']]');
  if (isSplit) yield { kind: 'trouble', why: 'some shells end `[[` at `&&` and `||`' };
  if (reading.evaluates && reaches(inspection, text.slice(reading.words[0]!.start, last), 'exact'))
    yield { kind: 'flow', into: 'arithmetic', asName: true };
  if (reading.runs.some(({ program }) => program === 'alias')) yield { kind: 'flow', into: 'alias' };
  yield* inNamedValues(reading, inspection);
}

/** A path or a number in place of an option, and the path of a script: the user chose to run that file. */
const isTame = (role: Role, { expands }: Word, { variable }: Hole) =>
  (role === 'option' && dashless.has(variable)) || (role === 'script' && isFile.test(variable) && expands === 'no');

/** Whether a value may get into this word by what the shell expands in it. */
function flows(word: Word, role: Role, inspection: Inspection): boolean {
  if (word.expands === 'no' || role === 'option' || role === 'content') return false;
  const source = inspection.text.slice(word.start, word.end);
  if (role !== 'script' && reaches(inspection, source, role === 'name' ? 'exact' : 'all')) return true;
  const isNamed = (role === 'program' || role === 'script') && programOf(word) !== undefined;
  return !isNamed && inspection.fed === true && substitutes(source);
}

const endOf = ({ words }: Reading) => words.findLast(word => word.end >= 0)?.end ?? 0;

/** `export PATH=...` and `env PATH=...` assign as `PATH=...` does. */
function* inNamedValues(reading: Reading, inspection: Inspection): Dangers {
  for (const index of reading.assignments) {
    const word = reading.words[index]!;
    const name = /^(\w+)\+?=/.exec(word.prefix)?.[1];
    if (!name || !isSpecial(name)) continue;
    const hole = holeIn(inspection.holes, word);
    const source = inspection.text.slice(word.start + name.length + 1, word.end);
    if (hole || (expandsOthers(source) && reaches(inspection, source, 'all'))) yield { kind: 'variable', name, hole };
  }
}

function* inStdin(command: Command, reading: Reading, isFed: boolean, inspection: Inspection): Dangers {
  if (reading.stdin === 'no') return;
  const own = command.redirections.findLast(({ operator }) => inputs.has(operator));
  if (own) {
    const hole = holeIn(inspection.holes, own.target) ?? (own.body && holeIn(inspection.holes, own.body));
    if (hole) yield { kind: 'stdin', hole };
    else if (reading.stdin === 'shell') yield* inBody(own, inspection);
  } else if (reading.stdin !== 'maybe') yield { kind: 'stdin' };
  else if (isFed) yield { kind: 'stdin', ...(!namesShell(reading) && { maybe: true }) };
}

/** `$RUN sh`: whatever the program is, a shell is most likely what it starts. Behind an option a language is named. */
const namesShell = ({ words }: Reading): boolean =>
  words.some(({ text = '' }, index) => shells.has(baseName(text)) && !words[index - 1]?.prefix.startsWith('-'));

function* inBody({ body, target }: Redirection, inspection: Inspection): Dangers {
  const source = inspection.text.slice((body ?? target).start, (body ?? target).end);
  const isFilledIn = body ? !body.quoted && /[$`\\]/.test(source) : target.expands !== 'no';
  if (isFilledIn && reaches(inspection, source, 'all')) yield { kind: 'stdin' };
  if (body && !isFilledIn) yield* inText(source, inspection, true);
}

function* inShellCode(reading: Reading, inspection: Inspection): Dangers {
  const { text, holes } = inspection;
  for (const { from, to } of reading.shellCode) {
    const words = reading.words.slice(from, to);
    if (words.some(word => word.text === undefined)) continue;
    const getsValues = reading.words
      .slice(to)
      .some(
        word => word.start < 0 || holeIn(holes, word) || reaches(inspection, text.slice(word.start, word.end), 'all'),
      );
    yield* inText(words.map(word => word.text).join(' '), inspection, getsValues);
  }
}

/** `getsValues`: as its positional parameters, or as what it reads. */
function* inText(text: string, { carriers, ...inspection }: Inspection, getsValues: boolean): Dangers {
  const known = carriers && getsValues ? withPositional(carriers) : carriers;
  const depth = inspection.depth + 1;
  yield* dangersIn({ ...inspection, ...(known && { carriers: known }), text, holes: [], carried: true, depth });
}

const withPositional = ({ exact, all }: Carriers): Carriers => ({
  exact: new Set([...exact, '@']),
  all: new Set([...all, '@']),
});

/** Their escapes are gone, so places in them are not places in the command. */
function* inPrograms(programs: readonly string[], inspection: Inspection): Dangers {
  for (const text of programs) {
    const holes = [...text.matchAll(new RegExp(`${HOLE}+`, 'g'))].map(
      ({ 0: found, index }): Hole => ({ start: index, end: index + found.length, variable: '' }),
    );
    for (const danger of dangersIn({ ...inspection, text, holes, depth: inspection.depth + 1 })) {
      const { hole: _, ...rest } = danger;
      yield rest.kind === 'role' ? { ...rest, word: undefined } : rest;
    }
  }
}
