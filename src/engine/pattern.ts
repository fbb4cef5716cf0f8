import { Script } from 'node:vm';

type Matches = (text: string) => boolean;

/** nyzhi's rule: `*.ext` by ending, a plain part by substring, anything with other glob characters as a glob. */
export function filePattern(pattern: string): Matches {
  if (/^\*\.[^*?[\]{}/\\]+$/.test(pattern)) return path => path.endsWith(pattern.slice(1));
  if (!/[*?[{]/.test(pattern)) return path => path.includes(pattern);
  const matches = globPattern(pattern);
  if (pattern.includes('/')) return matches;
  return path => matches(path) || matches(path.slice(path.lastIndexOf('/') + 1));
}

/** A glob over names that have no folders in them. */
export function namePattern(pattern: string): Matches {
  const lower = pattern.toLowerCase();
  if (!/[*?[{]/.test(lower)) return name => name.toLowerCase() === lower;
  const matches = globPattern(lower.replaceAll(/\*+/g, '**'));
  return name => matches(name.toLowerCase());
}

/** Claude's matcher: a list of exact names, or else an unanchored regular expression. Case counts. */
export function matcherPattern(matcher: string): Matches {
  if (matcher === '' || matcher === '*') return () => true;
  if (/^[\w\- ,|]+$/.test(matcher)) {
    const names = new Set(matcher.split(/[|,]/).map(name => name.trim()));
    return name => names.has(name);
  }
  const expression = new RegExp(matcher);
  if (!mayExplode(matcher)) return name => expression.test(name.slice(0, maxSubject));
  return name => guardedTest(expression, name.slice(0, maxSubject));
}

/** A compiled glob. `*` stays inside a folder, `**` does not. Time is bounded by pattern length x text length, whatever both contain. */
export function globPattern(pattern: string): Matches {
  // No one wrote this by hand; a gate behind it runs for everything rather than for nothing.
  const expanded = expandBraces(pattern);
  if (!expanded) return () => true;
  const alternatives = expanded.map(alternative => ({ start: plainStart(alternative), steps: stepsOf(alternative) }));
  return text => alternatives.some(({ start, steps }) => text.startsWith(start) && isReached(steps, text));
}

/** What every match begins with: most texts are done with that. */
const plainStart = (pattern: string): string => /^[^*?[\\]*/.exec(pattern)![0];

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
    const end = next.indexOf('}');
    const start = end === -1 ? -1 : next.lastIndexOf('{', end);
    if (start === -1) done.push(next);
    else
      for (const part of next.slice(start + 1, end).split(','))
        todo.push(next.slice(0, start) + part + next.slice(end + 1));
  }
  return done;
}

/** Which characters it takes, whether it takes any number of them, and how many steps further one may be without any. */
interface Step {
  takes(char: string): boolean;
  repeats?: true;
  skips: readonly number[];
}

const any: Step = { takes: () => true, repeats: true, skips: [1] };
const anyInFolder: Step = { takes: char => char !== '/', repeats: true, skips: [1] };
const one = (takes: Step['takes']): Step => ({ takes, skips: [] });

/** `**` with its slash, `**`, sets, escapes, any other character. */
const parts = /(?<=^|\/)\*\*\/|(?:\*\*)+|\[(.[^\]]*)\]|\\(.)|./gsu;

const stepsOf = (pattern: string): Step[] =>
  [...pattern.matchAll(parts)].flatMap(([part, set, escaped]) => {
    if (part === '**/') return [{ takes: () => false, skips: [1, 3] }, any, one(char => char === '/')];
    if (part.startsWith('**')) return [any];
    if (part === '*') return [anyInFolder];
    if (part === '?') return [one(char => char !== '/')];
    if (set !== undefined) return [one(setOf(set))];
    return [one(char => char === (escaped ?? part))];
  });

function setOf(written: string): Step['takes'] {
  const isNot = /^[!^]/.test(written);
  const ranges = [...written.slice(isNot ? 1 : 0).matchAll(/(.)-(.)|./gsu)];
  const holds = (char: string): boolean => ranges.some(([only, from = only, to = only]) => char >= from && char <= to);
  return char => char !== '/' && holds(char) !== isNot;
}

/** Walks the text once and keeps the set of steps that are still possible. */
function isReached(steps: readonly Step[], text: string): boolean {
  let [reached, next] = [new Uint8Array(steps.length + 1), new Uint8Array(steps.length + 1)];
  const skip = (): void => {
    for (let at = 0; at < steps.length; at += 1)
      if (reached[at]) for (const by of steps[at]!.skips) reached[at + by] = 1;
  };
  reached[0] = 1;
  skip();
  for (const char of text) {
    next.fill(0);
    for (let at = 0; at < steps.length; at += 1)
      if (reached[at] && steps[at]!.takes(char)) next[steps[at]!.repeats ? at : at + 1] = 1;
    [reached, next] = [next, reached];
    skip();
  }
  return reached[steps.length] === 1;
}

const maxSubject = 1000;
const maxTestMs = 100;

/** Plain text with at most one repetition in each alternative cannot backtrack far; everything else runs under the guard. */
const mayExplode = (source: string): boolean =>
  /[(){}?\\]/.test(source) || source.split('|').some(part => (part.match(/[*+]/g)?.length ?? 0) > 1);

let guarded: Script | undefined;

/** Runs the expression under a time limit. One that cannot answer counts as a match: a gate must not be argued away. */
function guardedTest(expression: RegExp, subject: string): boolean {
  guarded ??= new Script('expression.test(subject)');
  try {
    return Boolean(guarded.runInNewContext({ expression, subject }, { timeout: maxTestMs }));
  } catch {
    return true;
  }
}
