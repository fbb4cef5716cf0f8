import { Script } from 'node:vm';

/** Claude's matcher: a list of exact names, or else an unanchored regular expression. Case counts. */
export function matcherPattern(matcher: string): (name: string) => boolean {
  if (matcher === '' || matcher === '*') return () => true;
  if (/^[\w\- ,|]+$/.test(matcher)) {
    const names = new Set(matcher.split(/[|,]/).map(name => name.trim()));
    return name => names.has(name);
  }
  const expression = new RegExp(matcher);
  if (!mayExplode(matcher)) return name => expression.test(name.slice(0, maxSubject));
  return name => guardedTest(expression, name.slice(0, maxSubject));
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
