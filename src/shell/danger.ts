import { feedsValues, runsWritten, type Written, writtenFiles } from './feed.ts';
import { carriesValues } from './flow.ts';
import { type Hole, holeIn, quotingOf } from './holes.ts';
import { type Command, type Parsed, parseCommands, type Quoting, type Redirection, type Word } from './parse.ts';
import type { Reading, Role } from './roles/reading.ts';
import { programOf } from './roles/reading.ts';
import { readRoles } from './roles/roles.ts';
import { expandsOthers, isSpecial, substitutes } from './special.ts';
import { ID, NUMBER } from './syntax/scan.ts';

/** Why a value could be more than data in this command. Without a hole the way there leads through a variable or a pipe. */
export type Danger = { hole?: Hole | undefined } & (
  | { kind: 'trouble'; why: string; at: number }
  | { kind: 'quoting'; quoting: Quoting }
  | { kind: 'role'; role: Role | 'unsure'; program: string; word?: Word }
  | { kind: 'flow'; into: string }
  | { kind: 'stdin' }
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
  /** What a substitution prints may hold a value. */
  fed?: boolean;
  /** Files that may hold values. */
  written?: Written;
  depth: number;
  /** How many characters may still be read: texts inside of texts could multiply. */
  effort?: { left: number };
}

const NESTING_LIMIT = 10;
const EFFORT_LIMIT = 2_000_000;
const evaluated = /^\$\{(!|#?[A-Za-z_0-9@*]+(\[(?![@*]\])|:[^-=?+]))/;
/** Values that never start with a dash: a number, and a path that is made absolute where it would. */
const dashless = new Set(['HOOK_FILE', 'HOOK_ITERATION']);

/** The first way in which a value could become code, a name or another word. Undefined: every value stays one exact word. */
export function findDanger(inspection: Inspection, parsed = parseCommands(inspection.text)): Danger | undefined {
  const effort = inspection.effort ?? { left: EFFORT_LIMIT };
  effort.left -= inspection.text.length + 100;
  if (inspection.depth > NESTING_LIMIT || effort.left < 0)
    return { kind: 'trouble', why: 'it is nested too deeply', at: 0 };
  const { holes } = inspection;
  if (parsed.trouble) return { kind: 'trouble', ...parsed.trouble };
  const readings = parsed.commands.map(command => readRoles(command.kind === 'simple' ? command.words : []));
  const fed = inspection.fed || feedsValues(parsed.commands, holes);
  const carried = inspection.carried || carriesValues(parsed.commands, readings, { ...inspection, fed });
  const written = writtenFiles(parsed.commands, readings, holes, { ...inspection, carried });
  const inner = { ...inspection, carried, fed, written, effort };
  const outside = inRegions(parsed, inner) ?? inQuoting(parsed, holes);
  if (outside) return outside;
  const isFed = parsed.commands.some(({ stage, redirections }) => stage > 0 || redirections.some(({ body }) => body));
  for (const [index, command] of parsed.commands.entries()) {
    const danger =
      inNames(command, inner) ??
      inAssignments(command, inner) ??
      inRedirections(command, inner) ??
      inWords(readings[index]!, inner) ??
      inStdin(command, readings[index]!, isFed, inner) ??
      inFiles(command, readings[index]!, inner) ??
      inShellCode(readings[index]!, inner);
    if (danger) return danger;
  }
  return inPrograms(parsed.programs, inner);
}

function inRegions(parsed: Parsed, { text, holes, carried }: Inspection): Danger | undefined {
  for (const region of parsed.regions) {
    const hole = holeIn(holes, region);
    if (hole) return { kind: 'quoting', quoting: region.kind, hole };
    if (region.kind !== 'backquote' && text.slice(region.start, region.end).includes(ID))
      return { kind: 'quoting', quoting: region.kind };
    if (!carried || region.kind === 'backquote') continue;
    const evaluates = region.kind === 'arithmetic' || evaluated.test(text.slice(region.start, region.start + 256));
    if (evaluates) return { kind: 'flow', into: 'arithmetic' };
  }
  return undefined;
}

function inQuoting(parsed: Parsed, holes: readonly Hole[]): Danger | undefined {
  const safe: readonly Quoting[] = ['bare', 'double', 'single', 'heredoc', 'comment'];
  const quotings = quotingOf(holes, parsed.changes);
  const index = quotings.findIndex(quoting => !safe.includes(quoting));
  return index < 0 ? undefined : { kind: 'quoting', quoting: quotings[index]!, hole: holes[index]! };
}

function inNames({ kind, words }: Command, { holes }: Inspection): Danger | undefined {
  const hole = (kind === 'for' || kind === 'function') && words[0] ? holeIn(holes, words[0]) : undefined;
  return hole && { kind: 'role', role: 'name', program: kind, hole };
}

function inAssignments(command: Command, { text, holes, carried }: Inspection): Danger | undefined {
  for (const { name, form, value } of command.assignments) {
    const hole = holeIn(holes, { start: command.start, end: value.end }) && holeIn(holes, value);
    if (hole && form !== 'plain') return { kind: 'role', role: 'name', program: `${name}[]`, hole };
    const mayHold = hole || (carried && expandsOthers(text.slice(value.start, value.end)));
    if (mayHold && isSpecial(name)) return { kind: 'variable', name, hole };
    if (form === 'plain') continue;
    const start = text.lastIndexOf('[', value.start);
    const inSubscript = form === 'subscript' ? holeIn(holes, { start, end: value.start }) : undefined;
    if (inSubscript) return { kind: 'role', role: 'name', program: `${name}[]`, hole: inSubscript };
    if (carried) return { kind: 'flow', into: 'a subscript' };
  }
  return undefined;
}

function inRedirections(command: Command, { holes }: Inspection): Danger | undefined {
  for (const { operator, target } of command.redirections) {
    const hole = holeIn(holes, target);
    if (hole && operator.endsWith('&')) return { kind: 'redirection', operator, hole };
    // To shells without this operator a new command starts behind it.
    const isSplit = operator.startsWith('&') && command.words.some(word => word.start > target.start);
    if (isSplit) return { kind: 'redirection', operator };
  }
  return undefined;
}

function inWords(reading: Reading, inspection: Inspection): Danger | undefined {
  const { holes, carried } = inspection;
  const named = reading.runs.find(({ program }) => program.includes(NUMBER) || program.includes(ID));
  if (named) return { kind: 'role', role: 'program', program: named.program };
  for (const { index, role, program } of reading.marks) {
    const word = reading.words[index];
    if (!word) continue;
    if (role === 'name' && word.text?.includes(ID)) return { kind: 'role', role, program, word };
    const isFilled = word.start < 0 || reading.filled?.has(index);
    const hole = holeIn(holes, word);
    if (isFilled || (hole && !isTame(role, word, hole))) return { kind: 'role', role, program, hole, word };
    if (flows(word, role, inspection)) {
      return { kind: 'flow', into: role === 'program' ? 'the name of a program' : program };
    }
  }
  const { unsure } = reading;
  const first = unsure && reading.words[unsure.from];
  const hole = first && holeIn(holes, { start: first.start, end: Number.POSITIVE_INFINITY });
  if (unsure && hole && hole.start < endOf(reading))
    return { kind: 'role', role: 'unsure', program: unsure.program, hole };
  // In bash `&&` and `||` belong to the test, elsewhere they end the command.
  const isSplit = reading.runs.some(({ program, end }) => program === '[[' && reading.words[end - 1]?.text !== ']]');
  if (isSplit) return { kind: 'trouble', why: 'some shells end `[[` at `&&` and `||`', at: 0 };
  if (carried && reading.evaluates) return { kind: 'flow', into: 'arithmetic' };
  if (reading.runs.some(({ program }) => program === 'alias')) return { kind: 'flow', into: 'alias' };
  return inNamedValues(reading, inspection);
}

/** A path or a number in place of an option, and the path of a script: the user chose to run that file. */
const isTame = (role: Role, { expands }: Word, { variable }: Hole) =>
  (role === 'option' && dashless.has(variable)) || (role === 'script' && variable === 'HOOK_FILE' && expands === 'no');

/** Whether a value may get into this word by what the shell expands in it. */
function flows(word: Word, role: Role, { text, carried, fed }: Inspection): boolean {
  if (word.expands === 'no' || role === 'option' || role === 'content') return false;
  if (carried && role !== 'script') return true;
  const isNamed = (role === 'program' || role === 'script') && programOf(word) !== undefined;
  return !isNamed && fed === true && substitutes(text.slice(word.start, word.end));
}

const endOf = ({ words }: Reading) => words.findLast(word => word.end >= 0)?.end ?? 0;

/** `export PATH=...` and `env PATH=...` assign as `PATH=...` does. */
function inNamedValues(reading: Reading, { text, holes, carried }: Inspection): Danger | undefined {
  for (const index of reading.assignments) {
    const word = reading.words[index]!;
    const name = /^(\w+)\+?=/.exec(word.prefix)?.[1];
    if (!name || !isSpecial(name)) continue;
    const hole = holeIn(holes, word);
    if (hole || (carried && expandsOthers(text.slice(word.start, word.end)))) return { kind: 'variable', name, hole };
  }
  return undefined;
}

const inputs = new Set(['<', '<<', '<<-', '<<<', '<>']);

function inStdin(command: Command, reading: Reading, isFed: boolean, inspection: Inspection): Danger | undefined {
  if (reading.stdin === 'no') return undefined;
  const own = command.redirections.findLast(({ operator }) => inputs.has(operator));
  if (own) {
    const hole = holeIn(inspection.holes, own.target) ?? (own.body && holeIn(inspection.holes, own.body));
    if (hole) return { kind: 'stdin', hole };
    return reading.stdin === 'shell' ? inBody(own, inspection) : undefined;
  }
  return reading.stdin === 'maybe' && !isFed ? undefined : { kind: 'stdin' };
}

function inFiles(command: Command, reading: Reading, { holes, written }: Inspection): Danger | undefined {
  return written && runsWritten(reading, command, written, holes) ? { kind: 'file' } : undefined;
}

function inBody({ body, target }: Redirection, inspection: Inspection): Danger | undefined {
  if (!body) return target.expands !== 'no' && inspection.carried ? { kind: 'stdin' } : undefined;
  const text = inspection.text.slice(body.start, body.end);
  if (!body.quoted && /[$`\\]/.test(text)) return inspection.carried ? { kind: 'stdin' } : undefined;
  return findDanger({ ...inspection, text, holes: [], carried: true, depth: inspection.depth + 1 });
}

function inShellCode(reading: Reading, inspection: Inspection): Danger | undefined {
  for (const { from, to } of reading.shellCode) {
    const words = reading.words.slice(from, to);
    if (words.some(word => word.text === undefined)) continue;
    const text = words.map(word => word.text).join(' ');
    const danger = findDanger({ ...inspection, text, holes: [], carried: true, depth: inspection.depth + 1 });
    if (danger) return danger;
  }
  return undefined;
}

function inPrograms(programs: readonly string[], inspection: Inspection): Danger | undefined {
  for (const text of programs) {
    const danger = findDanger({ ...inspection, text, holes: [], depth: inspection.depth + 1 });
    if (danger) return danger;
  }
  return undefined;
}
