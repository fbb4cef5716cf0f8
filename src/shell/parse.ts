import { createCommand, endCommand, isEmpty, type Line, readCasePatterns, readKeyword } from './syntax/keyword.ts';
import { readRedirection, skipBlanks, skipComment, skipNewline } from './syntax/redirection.ts';
import {
  type Command,
  createScan,
  doubt,
  giveUp,
  nested,
  type Quoting,
  type Region,
  type Scan,
  type Trouble,
  type Word,
} from './syntax/scan.ts';
import { readWord, wordBehind } from './syntax/word.ts';

/** `commands` is complete unless there is trouble; then it holds what was found all the same. */
export interface Parsed {
  text: string;
  /** In the order in which they start, also those inside subshells and substitutions. */
  commands: readonly Command[];
  /** Programs between backquotes, with their escapes removed. */
  programs: readonly string[];
  /** Stretches that the shell evaluates by rules of their own. */
  regions: readonly Region[];
  /** Where the quoting changes, in order; the text starts bare. */
  changes: readonly { at: number; quoting: Quoting }[];
  trouble: Trouble | undefined;
  /** Where the reading stopped, if it did: commands behind it are not known. */
  stopped: number | undefined;
}

/** Finds the commands of a shell text. Contract: never throws, takes time in proportion to the text. */
export function parseCommands(text: string): Parsed {
  const scan = createScan(text, readList);
  if (text.includes('\0')) giveUp(scan, 'it contains a NUL character', text.indexOf('\0'));
  readList(scan, '');
  scan.commands.sort((a, b) => a.start - b.start);
  return scan;
}

const emptyParentheses = /\([ \t]*\)/y;
const assignment = /^([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\])?\+?=/;

function readList(scan: Scan, closer: Line['closer']): void {
  const { text } = scan;
  const open = scan.at;
  const pipeline = scan.pipelines++;
  const line: Line = { command: createCommand(scan, pipeline, 0), pipeline, stage: 0, cases: 0, blocks: [], closer };
  while (true) {
    skipBlanks(scan);
    if (scan.at >= text.length) {
      if (closer !== '') giveUp(scan, 'a parenthesis is never closed', open);
      else if (scan.pending.length > 0) doubt(scan, 'a here-document never ends', scan.pending[0]!.target.start);
      break;
    }
    const char = text[scan.at]!;
    if (char === ')' && closer !== '') {
      scan.at++;
      break;
    }
    readToken(scan, line, char);
  }
  endCommand(scan, line);
}

function readToken(scan: Scan, line: Line, char: string): void {
  const next = scan.text[scan.at + 1];
  if (char === '#') skipComment(scan);
  else if (char === '\n') {
    endPipeline(scan, line);
    skipNewline(scan);
  } else if (char === ';') readSemicolon(scan, line);
  else if (char === '|' && next !== '|') {
    endCommand(scan, line);
    line.stage++;
    line.command.stage++;
    scan.at += next === '&' ? 2 : 1;
  } else if ((char === '&' && next !== '>') || char === '|') {
    endPipeline(scan, line);
    scan.at += next === char ? 2 : 1;
  } else if (char === '(') readParenthesis(scan, line);
  else if (char === ')') giveUp(scan, 'a parenthesis is closed that was never opened');
  else if (char === '&' || ((char === '<' || char === '>') && next !== '(')) readRedirection(scan, line.command);
  else readCommandWord(scan, line);
}

function endPipeline(scan: Scan, line: Line): void {
  line.pipeline = scan.pipelines++;
  line.stage = 0;
  endCommand(scan, line);
}

function readSemicolon(scan: Scan, line: Line): void {
  endPipeline(scan, line);
  const { text } = scan;
  const endsBranch = text[scan.at + 1] === ';' || text[scan.at + 1] === '&';
  if (!endsBranch) {
    scan.at++;
    return;
  }
  if (line.cases === 0) {
    giveUp(scan, '`;;` stands outside `case`');
    return;
  }
  scan.at += text.startsWith(';;&', scan.at) ? 3 : 2;
  readCasePatterns(scan, line);
}

function readParenthesis(scan: Scan, line: Line): void {
  const { text } = scan;
  const { command } = line;
  if (isTimed(command)) command.words = [];
  if (isEmpty(command)) {
    const start = scan.at;
    if (text[scan.at + 1] === '(') doubt(scan, '`((` is arithmetic in some shells and a subshell in others');
    scan.at++;
    nested(scan, () => scan.list(scan, ')'));
    if (text[start + 1] === '(') scan.regions.push({ kind: 'arithmetic', start, end: scan.at });
    endCommand(scan, line, 'compound');
    return;
  }
  emptyParentheses.lastIndex = scan.at;
  if (command.words[0]?.text === '[[') {
    doubt(scan, 'an opening parenthesis in `[[` is not known to all shells');
    scan.at++;
    nested(scan, () => scan.list(scan, ')'));
    return;
  }
  const definesFunction = command.kind === 'simple' && command.words.length === 1 && emptyParentheses.test(text);
  if (!definesFunction) {
    giveUp(scan, 'an opening parenthesis stands where shells read it differently');
    return;
  }
  scan.at = emptyParentheses.lastIndex;
  command.kind = 'function';
  line.named = command;
  endCommand(scan, line);
}

function readCommandWord(scan: Scan, line: Line): void {
  const word = readWord(scan);
  const source = scan.text.slice(word.start, word.end);
  const next = scan.text[scan.at];
  if ((next === '<' || next === '>') && /^(\d+|\{\w+\})$/.test(source)) {
    if (source[0] === '{') doubt(scan, '`{name}>` is a redirection in some shells', word.start);
    readRedirection(scan, line.command);
    return;
  }
  if (line.command.kind === 'compound') endCommand(scan, line);
  const { command } = line;
  // Behind bash's keyword `time` a whole compound command may follow.
  if (isTimed(command) && readKeyword(scan, line, word, source, 'timed')) return;
  if (command.words.length === 0) {
    if (isEmpty(command)) {
      command.start = word.start;
      if (readKeyword(scan, line, word, source, 'plain')) return;
    }
    if (readAssignment(scan, command, word, source)) return;
  } else if (next === '(' && source.endsWith('=')) doubt(scan, 'an array as an argument is not known to all shells');
  command.words.push(word);
}

const isTimed = (command: Command) =>
  command.words[0]?.text === 'time' &&
  (command.words.length === 1 || (command.words.length === 2 && command.words[1]!.text === '-p'));

function readAssignment(scan: Scan, command: Command, word: Word, source: string): boolean {
  const found = assignment.exec(source);
  if (!found) return false;
  const [head, name, subscript] = found;
  const value = wordBehind(word, head.length);
  if (scan.text[scan.at] === '(' && value.start === word.end) {
    readArray(scan);
    const { text: _, ...array } = value;
    command.assignments.push({ name: name!, form: 'array', value: { ...array, end: scan.at, expands: 'many' } });
  } else command.assignments.push({ name: name!, form: subscript === undefined ? 'plain' : 'subscript', value });
  return true;
}

function readArray(scan: Scan): void {
  const open = scan.at++;
  while (scan.at < scan.text.length) {
    skipBlanks(scan);
    const char = scan.text[scan.at];
    if (char === ')') {
      scan.at++;
      return;
    }
    if (char === '\n') skipNewline(scan);
    else if (char === '#') skipComment(scan);
    else if (char !== undefined && isOperator(char, scan.text[scan.at + 1])) {
      giveUp(scan, 'an array holds an operator');
      return;
    } else if (char !== undefined) readWord(scan);
  }
  giveUp(scan, 'an array is never closed', open);
}

/** `<(` and `>(` start a word. */
const isOperator = (char: string, next: string | undefined): boolean =>
  ';&|('.includes(char) || ('<>'.includes(char) && next !== '(');
