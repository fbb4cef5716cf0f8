import { type Command, doubt, enter, giveUp, HOLE, nested, type Redirection, type Scan } from './scan.ts';
import { createDraft, readBackquote, readDollar, readWord } from './word.ts';

const operator = /<<<|<<-|<<|<>|<&|<|>>|>&|>\||>|&>>|&>/y;

/** From the operator to behind its target; the body of a here-document follows later, after the line. */
export function readRedirection(scan: Scan, command: Command): void {
  const { text } = scan;
  const at = scan.at;
  operator.lastIndex = at;
  const found = operator.exec(text)?.[0] ?? '';
  scan.at += found.length;
  skipBlanks(scan);
  const next = text[scan.at];
  const endsHere = next === undefined || '\n;&|()'.includes(next) || ('<>'.includes(next) && text[scan.at + 1] !== '(');
  if (endsHere || found === '') {
    giveUp(scan, 'a redirection has no target', at);
    return;
  }
  const isHeredoc = found === '<<' || found === '<<-';
  const firstChange = scan.changes.length;
  const before = isHeredoc ? enter(scan, 'delimiter') : scan.quoting;
  const target = readWord(scan);
  if (isHeredoc) {
    const source = text.slice(target.start, target.end);
    if (/[$`\n]/.test(source)) doubt(scan, 'the end mark of a here-document is not plain text', at);
    for (const change of scan.changes.slice(firstChange)) change.quoting = 'delimiter';
    enter(scan, before);
  }
  const redirection = { operator: found, target };
  command.redirections.push(redirection);
  if (isHeredoc) scan.pending.push(redirection);
}

export function skipBlanks(scan: Scan): void {
  const { text } = scan;
  const start = scan.at;
  while (true) {
    const char = text[scan.at];
    if (char === ' ' || char === '\t') scan.at++;
    else if (char === '\\' && text[scan.at + 1] === '\n') scan.at += 2;
    else break;
  }
  const joins =
    scan.at - start >= 2 && text[start] === '\\' && isOperator(text[start - 1]) && isOperator(text[scan.at]);
  if (joins) doubt(scan, 'a line break splits an operator', start);
}

const isOperator = (char: string | undefined) => char !== undefined && '|&;()<>'.includes(char);

export function skipComment(scan: Scan): void {
  const before = enter(scan, 'comment');
  const end = scan.text.indexOf('\n', scan.at);
  scan.at = end < 0 ? scan.text.length : end;
  enter(scan, before);
}

export function skipNewline(scan: Scan): void {
  scan.at++;
  if (scan.pending.length > 0 || scan.awaited) readHeredocs(scan);
}

/** Reads the bodies of all here-documents that started on the line just ended; `scan.at` is the start of the next line. */
function readHeredocs(scan: Scan): void {
  if (scan.awaited) doubt(scan, 'a line break stands between `<<` and its here-document');
  const pending = scan.pending;
  scan.pending = [];
  for (const redirection of pending) readBody(scan, redirection);
}

const isQuoted = (source: string) => /['"\\]/.test(source);

function readBody(scan: Scan, redirection: Redirection): void {
  const { text } = scan;
  const start = scan.at;
  const { target, operator } = redirection;
  const delimiter = target.text;
  if (delimiter === undefined) {
    giveUp(scan, 'the end mark of a here-document is not plain text', target.start);
    return;
  }
  const quoted = isQuoted(text.slice(target.start, target.end));
  const end = findEnd(text, start, delimiter, operator.endsWith('-'));
  if (end === undefined) {
    // Shells warn, and take all there is.
    redirection.body = { start, end: text.length, quoted };
    giveUp(scan, 'a here-document never ends', target.start);
    return;
  }
  redirection.body = { start, end: end.body, quoted };
  if (!quoted && end.body > start && text[end.body - 2] === '\\') {
    doubt(scan, 'a backslash stands at the end of a here-document', end.body);
  }
  const before = enter(scan, quoted ? 'quoted-heredoc' : 'heredoc');
  if (!quoted) readExpansions(scan, end.body);
  if (scan.at >= text.length && scan.trouble) return;
  enter(scan, before, end.body);
  scan.at = end.next;
}

function findEnd(text: string, start: number, delimiter: string, stripTabs: boolean) {
  let line = start;
  while (line < text.length) {
    const newline = text.indexOf('\n', line);
    const lineEnd = newline < 0 ? text.length : newline;
    let from = line;
    if (stripTabs) while (text[from] === '\t') from++;
    if (lineEnd - from === delimiter.length && text.startsWith(delimiter, from)) {
      return { body: line, next: Math.min(lineEnd + 1, text.length) };
    }
    line = lineEnd + 1;
  }
  return undefined;
}

function readExpansions(scan: Scan, end: number): void {
  const ignored = createDraft();
  const { text } = scan;
  while (scan.at < end) {
    const char = text[scan.at];
    if (char === '\\') {
      if (text[scan.at + 1] === HOLE) doubt(scan, 'a backslash stands right before the placeholder');
      scan.at += 2;
    } else if (char === '$') nested(scan, () => readDollar(scan, ignored, 'quoted'));
    else if (char === '`') readBackquote(scan, ignored, 'quoted');
    else scan.at++;
  }
  if (scan.at > end) giveUp(scan, 'a substitution goes beyond its here-document', end);
}
