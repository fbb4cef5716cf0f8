import { doubt, enter, giveUp, HOLE, nested, type Quoting, readSubstitution, type Scan, type Word } from './scan.ts';

/** A word under construction: `literal` is the text since the last part that is not literal. */
export interface Draft {
  literal: string;
  prefix: string | undefined;
  expands: Word['expands'];
}

export const createDraft = (): Draft => ({ literal: '', prefix: undefined, expands: 'no' });

const bareRun = /[^ \t\n;&|<>()\\'"$`*?[{\uE000]+/y;
const doubleRun = /[^"\\$`\uE000]+/y;
const holeRun = /\uE000+/y;
const bracePattern = /,|\.\./;

/** Reads one word; `scan.at` must stand on a character that can start one. */
export function readWord(scan: Scan): Word {
  const { text } = scan;
  const start = scan.at;
  const draft = createDraft();
  let braces = false;
  if (text[start] === '~') {
    scan.at++;
    vary(draft, 'one');
  }
  while (scan.at < text.length) {
    const char = text[scan.at]!;
    if (isBreak(char)) {
      if ((char !== '<' && char !== '>') || text[scan.at + 1] !== '(') break;
      scan.at += 2;
      vary(draft, 'one');
      readSubstitution(scan);
    } else if (char === '{') {
      braces = true;
      draft.literal += char;
      scan.at++;
    } else readPart(scan, draft, char);
  }
  // Alone, a bracket is the name of the test command and no pattern.
  if (scan.at - start <= 2 && /^\[\[?$/.test(text.slice(start, scan.at))) {
    return finishWord({ ...createDraft(), literal: text.slice(start, scan.at) }, start, scan.at);
  }
  if (braces && bracePattern.test(text.slice(start, scan.at))) {
    draft.prefix = draft.literal = '';
    draft.expands = 'many';
  }
  return finishWord(draft, start, scan.at);
}

/** From the opening double quote to behind the closing one. */
function readDouble(scan: Scan, draft: Draft): void {
  const { text } = scan;
  const start = scan.at++;
  const before = enter(scan, 'double');
  while (scan.at < text.length && text[scan.at] !== '"') {
    const char = text[scan.at]!;
    if (char === '\\') readEscape(scan, draft, '$`"\\');
    else if (char === '$') nested(scan, () => readDollar(scan, draft, 'quoted'));
    else if (char === '`') readBackquote(scan, draft, 'quoted');
    else if (char === HOLE) readHole(scan, draft);
    else draft.literal += readRun(scan, doubleRun);
  }
  if (close(scan, '"', before, 'a double quote is never closed', start)) doubtLineBreak(scan, start);
}

/** A single-quoted string; in bash's `$'...'` a backslash may escape the quote, elsewhere it may not. */
function readSingle(scan: Scan, draft: Draft): void {
  const start = scan.at;
  const end = scan.text.indexOf("'", start + 1);
  const before = end < 0 ? scan.quoting : enter(scan, 'single');
  scan.at = end < 0 ? scan.text.length : end;
  if (!close(scan, "'", before, 'a single quote is never closed', start)) return;
  addLiteral(draft, scan.text.slice(start + 1, end));
  doubtLineBreak(scan, start);
}

/** Steps behind what closes a stretch, or gives up where it is not there; tells which. */
function close(scan: Scan, closer: string, before: Quoting, why: string, start: number): boolean {
  const isThere = scan.text.startsWith(closer, scan.at);
  if (isThere) {
    enter(scan, before);
    scan.at += closer.length;
  } else giveUp(scan, why, start);
  return isThere;
}

function vary(draft: Draft, expands: Word['expands']): void {
  draft.prefix ??= draft.literal;
  draft.literal = '';
  if (draft.expands !== 'many') draft.expands = expands === 'no' ? draft.expands : expands;
}

function addLiteral(draft: Draft, text: string): void {
  const first = text.indexOf(HOLE);
  if (first >= 0) {
    draft.literal += text.slice(0, first);
    vary(draft, 'no');
    draft.literal = text.slice(text.lastIndexOf(HOLE) + 1);
  } else draft.literal += text;
}

function readRun(scan: Scan, run: RegExp): string {
  run.lastIndex = scan.at;
  const found = run.exec(scan.text)?.[0] ?? '';
  scan.at += found.length;
  return found;
}

const isBreak = (char: string) => ' \t\n;&|<>()'.includes(char);

function readPart(scan: Scan, draft: Draft, char: string): void {
  if (char === "'") readSingle(scan, draft);
  else if (char === '"') nested(scan, () => readDouble(scan, draft));
  else if (char === '$') nested(scan, () => readDollar(scan, draft, 'bare'));
  else if (char === '`') readBackquote(scan, draft, 'bare');
  else if (char === '\\') readEscape(scan, draft, undefined);
  else if (char === HOLE) readHole(scan, draft);
  else if (char === '*' || char === '?' || char === '[') {
    vary(draft, 'many');
    scan.at++;
  } else draft.literal += readRun(scan, bareRun);
}

function readEscape(scan: Scan, draft: Draft, special: string | undefined): void {
  const next = scan.text[scan.at + 1];
  if (next === undefined && special === undefined) {
    giveUp(scan, 'it ends with a backslash');
    return;
  }
  if (next === HOLE) doubt(scan, 'a backslash stands right before the placeholder');
  if (next === '\n') {
    if (special === undefined || scan.text[scan.at - 1] === '$') doubt(scan, 'a line break splits a word');
  } else draft.literal += special === undefined || special.includes(next ?? '') ? (next ?? '') : `\\${next ?? ''}`;
  scan.at += 2;
}

function readHole(scan: Scan, draft: Draft): void {
  readRun(scan, holeRun);
  vary(draft, 'no');
}

function doubtLineBreak(scan: Scan, start: number): void {
  if (scan.pending.length === 0 && !scan.awaited) return;
  if (scan.text.slice(start, scan.at).includes('\n')) doubt(scan, 'a quoted line break follows `<<`', start);
}

function finishWord(draft: Draft, start: number, end: number): Word {
  const { literal, prefix, expands } = draft;
  return prefix === undefined
    ? { start, end, text: literal, prefix: literal, suffix: literal, expands }
    : { start, end, prefix, suffix: literal, expands };
}

/** A word without the first characters of its literal start. */
export function wordBehind({ text, ...word }: Word, length: number): Word {
  const rest: Word = { ...word, start: word.start + length, prefix: word.prefix.slice(length) };
  if (text !== undefined) rest.text = text.slice(length);
  return rest;
}

const name = /[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]/y;

/** Whatever a dollar sign starts. */
export function readDollar(scan: Scan, draft: Draft, where: 'bare' | 'quoted'): void {
  const { text } = scan;
  const start = scan.at++;
  const next = text[scan.at] ?? '';
  const expands = where === 'bare' ? 'many' : 'one';
  if (next === '(') {
    vary(draft, expands);
    if (text[scan.at + 1] === '(') {
      readArithmetic(scan, start);
      return;
    }
    scan.at++;
    readSubstitution(scan);
  } else if (next === '{') {
    readParameter(scan, start, where);
    vary(draft, text.slice(start, Math.min(scan.at, start + 256)).includes('@') ? 'many' : expands);
  } else if (where === 'bare' && next === "'") readAnsi(scan, draft);
  else if (where === 'bare' && next === '"') readDouble(scan, draft);
  else readName(scan, draft, next, expands);
}

/** From the opening backquote to behind the closing one. Its text is another program: escapes are removed first. */
export function readBackquote(scan: Scan, draft: Draft, where: 'bare' | 'quoted'): void {
  const start = scan.at++;
  const body = readEscaped(scan, '`');
  if (!close(scan, '`', scan.quoting, 'a backquote is never closed', start)) return;
  scan.regions.push({ kind: 'backquote', start, end: scan.at });
  scan.programs.push(body.replace(where === 'quoted' ? /\\([$`\\"])/g : /\\([$`\\])/g, '$1'));
  vary(draft, where === 'bare' ? 'many' : 'one');
  if (body.includes('\n') && (scan.pending.length > 0 || scan.awaited)) doubt(scan, 'a line break follows `<<`', start);
}

function readName(scan: Scan, draft: Draft, next: string, expands: 'one' | 'many'): void {
  if (next === HOLE) doubt(scan, 'a dollar sign stands right before the placeholder');
  if (next === '[') {
    doubt(scan, '`$[` is arithmetic in some shells');
    const end = scan.text.indexOf(']', scan.at);
    scan.regions.push({ kind: 'arithmetic', start: scan.at, end: end < 0 ? scan.text.length : end });
  }
  if (next === '\\' && scan.text[scan.at + 1] === '\n') doubt(scan, 'a line break splits a word');
  const found = readRun(scan, name);
  if (found === '') draft.literal += '$';
  else vary(draft, found === '@' || found === '*' ? 'many' : expands);
}

function readParameter(scan: Scan, start: number, where: 'bare' | 'quoted'): void {
  const { text } = scan;
  const before = enter(scan, 'parameter');
  const ignored = createDraft();
  scan.at++;
  if (' \t\n|'.includes(text[scan.at] ?? '}')) doubt(scan, '`${ ` runs a command in some shells', start);
  while (scan.at < text.length && text[scan.at] !== '}') {
    const char = text[scan.at]!;
    if (where === 'quoted' && (char === "'" || char === '"' || char === '\\')) {
      doubt(scan, 'shells read quotes inside `"${...}"` differently');
    }
    if (char === '$' && text[scan.at + 1] === "'") doubt(scan, "shells read `$'` inside `${...}` differently");
    if (char === '\\') scan.at += 2;
    else if (char === "'" && where === 'bare') readSingle(scan, ignored);
    else readInner(scan, char);
  }
  if (close(scan, '}', before, '`${` is never closed', start))
    scan.regions.push({ kind: 'parameter', start, end: scan.at });
}

function readArithmetic(scan: Scan, start: number): void {
  const { text } = scan;
  const before = enter(scan, 'arithmetic');
  scan.at += 2;
  let open = 0;
  while (scan.at < text.length) {
    const char = text[scan.at]!;
    if (char === ')' && open === 0) break;
    if (char === '(') open++;
    if (char === ')') open--;
    if (char === "'" || char === '\\') doubt(scan, 'shells read quotes inside `$((...))` differently');
    readInner(scan, char);
  }
  if (close(scan, '))', before, '`$((` is not closed by `))`', start))
    scan.regions.push({ kind: 'arithmetic', start, end: scan.at });
}

function readInner(scan: Scan, char: string): void {
  const ignored = createDraft();
  if (char === '"') nested(scan, () => readDouble(scan, ignored));
  else if (char === '$') nested(scan, () => readDollar(scan, ignored, 'quoted'));
  else if (char === '`') readBackquote(scan, ignored, 'quoted');
  else scan.at++;
}

function readAnsi(scan: Scan, draft: Draft): void {
  const start = scan.at;
  const before = enter(scan, 'ansi');
  scan.at++;
  const body = readEscaped(scan, "'");
  if (!close(scan, "'", before, "`$'` is never closed", start)) return;
  if (body.includes("\\'")) doubt(scan, "shells read `\\'` inside `$'...'` differently", start);
  if (body.includes('\\')) vary(draft, 'one');
  else addLiteral(draft, body);
}

/** All up to the next closer that no backslash escapes. */
function readEscaped(scan: Scan, closer: string): string {
  const { text } = scan;
  const start = scan.at;
  while (scan.at < text.length && text[scan.at] !== closer) scan.at += text[scan.at] === '\\' ? 2 : 1;
  return text.slice(start, scan.at);
}
