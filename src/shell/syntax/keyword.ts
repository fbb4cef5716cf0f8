import { skipBlanks, skipComment, skipNewline } from './redirection.ts';
import { type Command, doubt, giveUp, nested, type Scan, type Word } from './scan.ts';
import { readWord } from './word.ts';

/** Where a list of commands stands: the command being read, its pipeline, and the `case` blocks around it. */
export interface Line {
  command: Command;
  pipeline: number;
  stage: number;
  cases: number;
  /** The function that was named last: a block right behind it is its body. */
  named?: Command | undefined;
  /** Those whose body is open, for every open block. */
  blocks: (Command | undefined)[];
  closer: '' | ')' | '$)';
}

/** Ends the command being read, if there is one. The next is of the given kind, in the same stage. */
export function endCommand(scan: Scan, line: Line, next: Command['kind'] = 'simple'): void {
  const { command } = line;
  command.end = scan.at;
  if (!isEmpty(command)) scan.commands.push(command);
  line.command = createCommand(scan, line.pipeline, line.stage);
  line.command.kind = next;
}

export const isEmpty = (command: Command) =>
  command.words.length === 0 && command.assignments.length === 0 && command.redirections.length === 0;

export function createCommand(scan: Scan, pipeline: number, stage: number): Command {
  const { at } = scan;
  return { kind: 'simple', start: at, end: at, words: [], assignments: [], redirections: [], pipeline, stage };
}

const openers = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', '!', '{']);
const closers = new Set(['fi', 'done', 'esac', '}']);

/**
 * Acts on a reserved word in command position and tells whether it was one. Blocks are not matched with their ends:
 * a text with a stray `fi` is refused by every shell before it runs.
 */
export function readKeyword(scan: Scan, line: Line, word: Word, source: string, where: 'plain' | 'timed'): boolean {
  const { named } = line;
  line.named = undefined;
  if (openers.has(source)) {
    line.command.words = [];
    if (source === '{') line.blocks.push(named);
    return true;
  }
  if (source === 'case') return readCase(scan, line);
  if (source === 'for' || source === 'select') return readFor(scan, line);
  if (where === 'timed') return false;
  if (closers.has(source)) {
    if (source === 'esac') line.cases = Math.max(0, line.cases - 1);
    const closed = source === '}' ? line.blocks.pop() : undefined;
    if (closed) closed.bodyEnd = scan.at;
    line.command.kind = 'compound';
    return true;
  }
  if (source === 'function') return readFunction(scan, line);
  if (source === 'coproc') doubt(scan, '`coproc` is not known to all shells', word.start);
  return source === 'coproc';
}

/** From behind `in` or `;;` to the first command of a branch, or behind `esac`. */
export function readCasePatterns(scan: Scan, line: Line): void {
  endCommand(scan, line);
  line.command.kind = 'case';
  skipLines(scan);
  const parenthesised = scan.text[scan.at] === '(';
  if (parenthesised) scan.at++;
  while (scan.at < scan.text.length) {
    skipBlanks(scan);
    const char = scan.text[scan.at];
    if (char === undefined || '\n;&(<>'.includes(char)) break;
    if (char === ')') {
      // Old versions of bash take this parenthesis for the end of the substitution.
      if (line.closer === '$)' && !parenthesised) doubt(scan, 'a `case` pattern inside `$(...)` has no `(`');
      scan.at++;
      endCommand(scan, line);
      return;
    }
    if (char === '|') scan.at++;
    else {
      const word = readWord(scan);
      if (!parenthesised && line.command.words.length === 0 && scan.text.slice(word.start, word.end) === 'esac') {
        line.cases--;
        endCommand(scan, line, 'compound');
        return;
      }
      line.command.words.push(word);
    }
  }
  giveUp(scan, 'a `case` pattern is never closed');
}

function readCase(scan: Scan, line: Line): true {
  line.command.kind = 'case';
  line.command.words = [];
  const subject = readPlainWord(scan);
  if (subject) line.command.words.push(subject);
  skipLines(scan);
  const word = readPlainWord(scan);
  if (!subject || word?.text !== 'in') giveUp(scan, '`case` has no `in`');
  else {
    line.cases++;
    readCasePatterns(scan, line);
  }
  return true;
}

function readFor(scan: Scan, line: Line): true {
  line.command.kind = 'for';
  line.command.words = [];
  const name = readPlainWord(scan);
  if (!name && scan.text.startsWith('((', scan.at)) {
    doubt(scan, '`for ((` is not known to all shells');
    const start = scan.at;
    scan.at += 1;
    nested(scan, () => scan.list(scan, ')'));
    scan.regions.push({ kind: 'arithmetic', start, end: scan.at });
    endCommand(scan, line);
    return true;
  }
  if (!name) {
    scan.regions.push({ kind: 'arithmetic', start: scan.at, end: scan.text.length });
    giveUp(scan, '`for` has no plain name');
    return true;
  }
  line.command.words.push(name);
  skipLines(scan);
  const start = scan.at;
  const word = scan.text.startsWith('in', start) ? readPlainWord(scan) : undefined;
  if (word?.text === 'in') {
    for (let item = readPlainWord(scan); item; item = readPlainWord(scan)) line.command.words.push(item);
  } else scan.at = start;
  endCommand(scan, line);
  return true;
}

function readFunction(scan: Scan, line: Line): true {
  const name = readPlainWord(scan);
  if (name) line.command.words.push(name);
  line.command.kind = 'function';
  line.named = line.command;
  skipBlanks(scan);
  if (scan.text.startsWith('()', scan.at)) scan.at += 2;
  endCommand(scan, line);
  return true;
}

function readPlainWord(scan: Scan): Word | undefined {
  skipBlanks(scan);
  const char = scan.text[scan.at];
  if (char === undefined || '\n;&|()<>#'.includes(char)) return undefined;
  return readWord(scan);
}

function skipLines(scan: Scan): void {
  while (true) {
    skipBlanks(scan);
    const char = scan.text[scan.at];
    if (char === '#') skipComment(scan);
    else if (char === '\n') skipNewline(scan);
    else return;
  }
}
