import { doubt, enter, giveUp, HOLE, nested, readSubstitution, type Scan } from './scan.ts';
import { addLiteral, createDraft, type Draft, readDouble, readRun, readSingle, vary } from './word.ts';

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
  if (scan.text[scan.at] !== '`') {
    giveUp(scan, 'a backquote is never closed', start);
    return;
  }
  scan.at++;
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
      doubt(scan, 'shells read quotes inside of `"${...}"` differently');
    }
    if (char === '$' && text[scan.at + 1] === "'") doubt(scan, "shells read `$'` inside of `${...}` differently");
    if (char === '\\') scan.at += 2;
    else if (char === "'" && where === 'bare') readSingle(scan, ignored);
    else readInner(scan, char);
  }
  if (scan.at >= text.length) {
    giveUp(scan, '`${` is never closed', start);
    return;
  }
  enter(scan, before);
  scan.at++;
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
    if (char === "'" || char === '\\') doubt(scan, 'shells read quotes inside of `$((...))` differently');
    readInner(scan, char);
  }
  if (text[scan.at + 1] !== ')') {
    giveUp(scan, '`$((` is not closed by `))`', start);
    return;
  }
  enter(scan, before);
  scan.at += 2;
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
  if (scan.text[scan.at] !== "'") {
    giveUp(scan, "`$'` is never closed", start);
    return;
  }
  if (body.includes("\\'")) doubt(scan, "shells read `\\'` inside of `$'...'` differently", start);
  if (body.includes('\\')) vary(draft, 'one');
  else addLiteral(draft, body);
  enter(scan, before);
  scan.at++;
}

/** All up to the next closer that no backslash escapes. */
function readEscaped(scan: Scan, closer: string): string {
  const { text } = scan;
  const start = scan.at;
  while (scan.at < text.length && text[scan.at] !== closer) scan.at += text[scan.at] === '\\' ? 2 : 1;
  return text.slice(start, scan.at);
}
