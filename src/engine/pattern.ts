/** A compiled glob. `*` stays inside a folder, `**` does not. Time is bounded by pattern length x text length, whatever both contain. */
export type Matches = (text: string) => boolean;

/** nyzhi's rule: `*.ext` by ending, a plain part by substring, anything with other glob characters as a glob. */
export function filePattern(pattern: string): Matches {
  if (/^\*\.[^*?[\]{}/\\]+$/.test(pattern)) return path => path.endsWith(pattern.slice(1));
  if (!/[*?[{]/.test(pattern)) return path => path.includes(pattern);
  const matches = glob(pattern);
  if (pattern.includes('/')) return matches;
  return path => matches(path) || matches(path.slice(path.lastIndexOf('/') + 1));
}

/** A glob over names that have no folders in them. */
export function namePattern(pattern: string): Matches {
  const lower = pattern.toLowerCase();
  if (!/[*?[{]/.test(lower)) return name => name.toLowerCase() === lower;
  const matches = glob(lower.replaceAll(/\*+/g, '**'));
  return name => matches(name.toLowerCase());
}

function glob(pattern: string): Matches {
  // Nobody wrote this by hand; a gate behind it runs for everything rather than for nothing.
  const expanded = expandBraces(pattern);
  if (!expanded) return () => true;
  const alternatives = expanded.map(alternative => ({ start: plainStart(alternative), tokens: tokenise(alternative) }));
  return text => alternatives.some(({ start, tokens }) => text.startsWith(start) && matchTokens(tokens, text));
}

/** What every match begins with: most texts are done with that. */
const plainStart = (pattern: string): string => /^[^*?[\\]*/.exec(pattern)![0];

type Token =
  | { kind: 'char'; char: string }
  | { kind: 'one' }
  | { kind: 'set'; chars: string; not: boolean }
  | { kind: 'star' }
  | { kind: 'globstar' }
  | { kind: 'folders' }
  | { kind: 'inside-folders' };

/** More than this was not written by a person. */
const maxAlternatives = 256;
const maxLength = 4096;

/** undefined where there would be too many. */
function expandBraces(pattern: string): string[] | undefined {
  if (pattern.length > maxLength) return undefined;
  const done: string[] = [];
  const todo = [pattern];
  while (todo.length > 0) {
    if (done.length + todo.length > maxAlternatives) return undefined;
    const next = todo.pop()!;
    const brace = innermostBrace(next);
    if (!brace) done.push(next);
    else for (const part of brace.parts) todo.push(next.slice(0, brace.start) + part + next.slice(brace.end));
  }
  return done;
}

function innermostBrace(pattern: string): { start: number; end: number; parts: string[] } | undefined {
  const end = pattern.indexOf('}');
  const start = end === -1 ? -1 : pattern.lastIndexOf('{', end);
  return start === -1 ? undefined : { start, end: end + 1, parts: pattern.slice(start + 1, end).split(',') };
}

function tokenise(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = charAt(pattern, at);
    if (pattern.startsWith('**/', at) && (at === 0 || pattern[at - 1] === '/')) {
      tokens.push({ kind: 'folders' }, { kind: 'inside-folders' });
      at += 2;
    } else if (pattern.startsWith('**', at)) {
      if (tokens.at(-1)?.kind !== 'globstar') tokens.push({ kind: 'globstar' });
      at += 1;
    } else if (char === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (char === '?') tokens.push({ kind: 'one' });
    else if (char === '[' && pattern.indexOf(']', at + 2) !== -1) {
      const end = pattern.indexOf(']', at + 2);
      const not = pattern[at + 1] === '!' || pattern[at + 1] === '^';
      tokens.push({ kind: 'set', chars: pattern.slice(at + (not ? 2 : 1), end), not });
      at = end;
    } else if (char === '\\' && at + 1 < pattern.length) {
      tokens.push({ kind: 'char', char: charAt(pattern, at + 1) });
      at += charAt(pattern, at + 1).length;
    } else {
      tokens.push({ kind: 'char', char });
      at += char.length - 1;
    }
  }
  return tokens;
}

const charAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at)!);

/** Walks the text once and keeps the set of token positions that are still possible. */
function matchTokens(tokens: readonly Token[], text: string): boolean {
  let [reached, next] = [new Uint8Array(tokens.length + 1), new Uint8Array(tokens.length + 1)];
  reached[0] = 1;
  skipEmpty(tokens, reached);
  for (const char of text) {
    next.fill(0);
    for (let at = 0; at < tokens.length; at += 1) if (reached[at]) advance(tokens[at]!, at, char, next);
    [reached, next] = [next, reached];
    skipEmpty(tokens, reached);
  }
  return reached[tokens.length] === 1;
}

function advance(token: Token, at: number, char: string, next: Uint8Array): void {
  switch (token.kind) {
    case 'char':
      if (token.char === char) next[at + 1] = 1;
      break;
    case 'one':
      if (char !== '/') next[at + 1] = 1;
      break;
    case 'set':
      if (char !== '/' && inSet(token.chars, char) !== token.not) next[at + 1] = 1;
      break;
    case 'star':
      if (char !== '/') next[at] = 1;
      break;
    case 'globstar':
      next[at] = 1;
      break;
    case 'inside-folders':
      next[at] = 1;
      if (char === '/') next[at + 1] = 1;
      break;
    case 'folders':
  }
}

/** `*` and `**` match nothing, too; so does `folders`, but not once a folder has been entered. */
function skipEmpty(tokens: readonly Token[], reached: Uint8Array): void {
  for (let at = 0; at < tokens.length; at += 1) {
    const kind = tokens[at]!.kind;
    if (!reached[at] || (kind !== 'star' && kind !== 'globstar' && kind !== 'folders')) continue;
    reached[at + 1] = 1;
    if (kind === 'folders') reached[at + 2] = 1;
  }
}

function inSet(chars: string, char: string): boolean {
  for (let at = 0; at < chars.length; at += 1) {
    if (chars[at + 1] === '-' && at + 2 < chars.length) {
      if (char >= chars[at]! && char <= chars[at + 2]!) return true;
      at += 2;
    } else if (chars[at] === char) return true;
  }
  return false;
}
