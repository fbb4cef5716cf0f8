import {
  type Carriers,
  expandsOthers,
  type Flow,
  flowIn,
  inputs,
  insideOf,
  isFed,
  isSpecial,
  nowhere,
  reaches,
  runsWritten,
  substitutes,
} from './flow.ts';
import { type Hole, holeIn, quotingOf } from './holes.ts';
import { shells } from './roles/programs.ts';
import { baseName, programOf, type Reading, type ReadText, type Role } from './roles/reading.ts';
import { readText } from './roles/roles.ts';
import { HOLE, NUMBER, type Quoting, type Redirection, type Word } from './syntax/scan.ts';

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

type Dangers = Generator<Danger, void>;

/**
 * The ways in which a value could become code, a name or another word, the first one first. None: every value stays one
 * exact word. `carriers`: values count in these variables alone, and in what they get into.
 */
export function dangersIn(read: ReadText, holes: readonly Hole[], carriers?: Carriers): Dangers {
  const flow = carriers ? { ...nowhere, carriers } : nowhere;
  return dangersOf({ read, holes, flow, depth: 0, effort: { left: EFFORT_LIMIT } });
}

/** A text, masked, and how values get to it. */
interface Inspection {
  read: ReadText;
  holes: readonly Hole[];
  flow: Flow;
  depth: number;
  /** How many characters may still be read: texts inside texts could multiply. */
  effort: { left: number };
}

const NESTING_LIMIT = 10;
const EFFORT_LIMIT = 2_000_000;

function* dangersOf(given: Inspection): Dangers {
  const { read, holes, effort, depth } = given;
  effort.left -= read.text.length + 100;
  if (depth > NESTING_LIMIT || effort.left < 0) {
    yield { kind: 'trouble', why: 'it is nested too deeply' };
    return;
  }
  if (read.trouble) yield { kind: 'trouble', why: read.trouble.why };
  const flow = flowIn(read, holes, given.flow);
  const inspection = { ...given, flow };
  yield* inRegions(inspection);
  yield* inQuoting(inspection);
  const feeds = read.commands.some(({ stage, redirections }) => stage > 0 || redirections.some(({ body }) => body));
  for (const command of read.commands) {
    const piped = isFed(command, read, holes, flow);
    const inCommand = { ...inspection, flow: { ...flow, piped } };
    yield* inNames(command, inspection);
    yield* inAssignments(command, inspection);
    yield* inRedirections(command, inspection);
    yield* inWords(command, inCommand);
    if (piped) yield* inStdin(command, feeds, inspection);
    if (runsWritten(command, holes, flow)) yield { kind: 'file' };
    yield* inShellCode(command, inCommand);
  }
  yield* inPrograms(inspection);
}

const evaluated = /^\$\{(!|#?[A-Za-z_0-9@*]+(\[(?![@*]\])|:[^-=?+]))/;

function* inRegions({ read, holes, flow }: Inspection): Dangers {
  for (const region of read.regions) {
    const source = read.text.slice(region.start, region.end);
    const evaluates = region.kind === 'arithmetic' || evaluated.test(source.slice(0, 256));
    const hole = holeIn(holes, region);
    if (hole) yield { kind: 'quoting', quoting: region.kind, hole, ...(evaluates && { asName: true }) };
    if (region.kind !== 'backquote' && evaluates && reaches(flow, source, 'exact'))
      yield { kind: 'flow', into: 'arithmetic', asName: true };
  }
}

function* inQuoting({ read, holes }: Inspection): Dangers {
  const safe: readonly Quoting[] = ['bare', 'double', 'single', 'heredoc', 'comment'];
  const quotings = quotingOf(holes, read.changes);
  const index = quotings.findIndex(quoting => !safe.includes(quoting));
  if (index >= 0) yield { kind: 'quoting', quoting: quotings[index]!, hole: holes[index]! };
}

function* inNames({ kind, words }: Reading, { holes }: Inspection): Dangers {
  const hole = (kind === 'for' || kind === 'function') && words[0] ? holeIn(holes, words[0]) : undefined;
  if (hole) yield { kind: 'role', role: 'name', program: kind, hole, asName: true };
}

function* inAssignments(command: Reading, { read: { text }, holes, flow }: Inspection): Dangers {
  for (const { name, form, value } of command.assignments) {
    const hole = holeIn(holes, value);
    if (hole && form !== 'plain') yield { kind: 'role', role: 'name', program: `${name}[]`, hole, asName: true };
    const source = text.slice(value.start, value.end);
    const mayHold = hole || (expandsOthers(source) && reaches(flow, source, 'all'));
    if (mayHold && isSpecial(name)) yield { kind: 'variable', name, hole };
    if (form === 'plain') continue;
    const start = text.lastIndexOf('[', value.start);
    const inSubscript = form === 'subscript' ? holeIn(holes, { start, end: value.start }) : undefined;
    if (inSubscript) yield { kind: 'role', role: 'name', program: `${name}[]`, hole: inSubscript, asName: true };
    if (reaches(flow, text.slice(command.start, value.end), 'exact'))
      yield { kind: 'flow', into: 'a subscript', asName: true };
  }
}

function* inRedirections({ redirections, words }: Reading, { holes }: Inspection): Dangers {
  for (const { operator, target } of redirections) {
    const hole = holeIn(holes, target);
    if (hole && operator.endsWith('&')) yield { kind: 'redirection', operator, hole };
    // To shells without this operator a new command starts behind it.
    const behind = operator.startsWith('&') ? words.find(word => word.start > target.start) : undefined;
    if (behind) yield { kind: 'redirection', operator, hole: holeIn(holes, behind) };
  }
}

function* inWords(command: Reading, inspection: Inspection): Dangers {
  const { words, marks, filled, runs, unsure } = command;
  const { read, holes, flow } = inspection;
  const named = runs.find(({ program }) => program.includes(NUMBER));
  if (named) yield { kind: 'role', role: 'program', program: named.program, asName: true };
  for (const { index, role, program } of marks) {
    const word = words[index];
    if (!word) continue;
    const isFilled = (word.start < 0 || filled?.has(index)) && flow.piped;
    const hole = holeIn(holes, word);
    const naming = (role === 'name' || role === 'program') && ({ asName: true } as const);
    if (isFilled || (hole && !isTame(role, word, hole))) yield { kind: 'role', role, program, hole, word, ...naming };
    if (flows(word, role, inspection)) {
      const into = role === 'program' ? 'the name of a program' : program;
      yield { kind: 'flow', into, ...naming };
    }
  }
  const first = unsure && words[unsure.from];
  const hole = first && holeIn(holes, { start: first.start, end: endOf(words) });
  if (unsure && hole) {
    const before = words.findLast(word => word.end <= hole.start);
    const role = /^-\w*c$/.test(before?.text ?? '') ? 'code' : 'unsure';
    yield { kind: 'role', role, program: unsure.program, hole };
  }
  // In bash `&&` and `||` belong to the test, elsewhere they end the command.
  const isSplit = runs.some(({ program, end }) => program === '[[' && words[end - 1]?.text !== ']]');
  if (isSplit) yield { kind: 'trouble', why: 'some shells end `[[` at `&&` and `||`' };
  if (command.evaluates && reaches(flow, read.text.slice(words[0]!.start, endOf(words)), 'exact'))
    yield { kind: 'flow', into: 'arithmetic', asName: true };
  if (runs.some(({ program }) => program === 'alias')) yield { kind: 'flow', into: 'alias' };
}

/** Values that never start with a dash: a number, and a path that is made absolute where it would. */
const dashless = new Set(['HOOK_FILE', 'HOOK_ITERATION']);
const isFile = /^(HOOK_)?FILE$/;

/** A path or a number in place of an option, and the path of a script: the user chose to run that file. */
const isTame = (role: Role, { expands }: Word, { variable }: Hole) =>
  (role === 'option' && dashless.has(variable)) || (role === 'script' && isFile.test(variable) && expands === 'no');

/** Whether a value may get into this word by what the shell expands in it. */
function flows(word: Word, role: Role, { read, flow }: Inspection): boolean {
  if (word.expands === 'no' || role === 'option' || role === 'content') return false;
  const source = read.text.slice(word.start, word.end);
  if (role !== 'script' && reaches(flow, source, role === 'name' ? 'exact' : 'all')) return true;
  const isNamed = (role === 'program' || role === 'script') && programOf(word) !== undefined;
  return !isNamed && flow.fed && substitutes(source);
}

const endOf = (words: readonly Word[]) => words.findLast(word => word.end >= 0)?.end ?? 0;

function* inStdin(command: Reading, feeds: boolean, inspection: Inspection): Dangers {
  const { stdin, redirections } = command;
  if (stdin === 'no') return;
  const own = redirections.findLast(({ operator }) => inputs.has(operator));
  if (own) {
    const hole = holeIn(inspection.holes, own.target) ?? (own.body && holeIn(inspection.holes, own.body));
    if (hole) yield { kind: 'stdin', hole };
    else if (stdin === 'shell') yield* inBody(own, inspection);
  } else if (stdin !== 'maybe') yield { kind: 'stdin' };
  else if (feeds) yield { kind: 'stdin', ...(!namesShell(command) && { maybe: true }) };
}

/** `$RUN sh`: whatever the program is, a shell is most likely what it starts. Behind an option a language is named. */
const namesShell = ({ words }: Reading): boolean =>
  words.some(({ text = '' }, index) => shells.has(baseName(text)) && !words[index - 1]?.prefix.startsWith('-'));

function* inBody({ body, target }: Redirection, inspection: Inspection): Dangers {
  const { start, end } = body ?? target;
  const source = inspection.read.text.slice(start, end);
  const isFilledIn = body ? !body.quoted && /[$`\\]/.test(source) : target.expands !== 'no';
  if (isFilledIn && reaches(inspection.flow, source, 'all')) yield { kind: 'stdin' };
  if (body && !isFilledIn) yield* inText(source, inspection, true);
}

function* inShellCode({ words, shellCode }: Reading, inspection: Inspection): Dangers {
  const { read, holes, flow } = inspection;
  for (const { from, to } of shellCode) {
    const code = words.slice(from, to);
    if (code.some(word => word.text === undefined)) continue;
    const getsValues = words
      .slice(to)
      .some(
        word => word.start < 0 || holeIn(holes, word) || reaches(flow, read.text.slice(word.start, word.end), 'all'),
      );
    yield* inText(code.map(word => word.text).join(' '), inspection, getsValues);
  }
}

/** `getsValues`: as its positional parameters, or as what it reads. */
function* inText(text: string, { flow, depth, effort }: Inspection, getsValues: boolean): Dangers {
  yield* dangersOf({ read: readText(text), holes: [], flow: insideOf(flow, getsValues), depth: depth + 1, effort });
}

/** Their escapes are gone, so places in them are not places in the command. */
function* inPrograms(inspection: Inspection): Dangers {
  for (const text of inspection.read.programs) {
    const holes = [...text.matchAll(new RegExp(`${HOLE}+`, 'g'))].map(
      ({ 0: found, index }): Hole => ({ start: index, end: index + found.length, variable: '' }),
    );
    const inner = { ...inspection, read: readText(text), holes, depth: inspection.depth + 1 };
    for (const { hole: _, ...danger } of dangersOf(inner))
      yield danger.kind === 'role' ? { ...danger, word: undefined } : danger;
  }
}
