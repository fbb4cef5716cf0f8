import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filePattern, matcherPattern, namePattern } from './pattern.ts';

describe('a file pattern', () => {
  test.each([
    ['*.rs', 'src/main.rs', true],
    ['*.rs', 'src/main.rst', false],
    ['*.ts', 'a.d.ts', true],
    ['src/api/', 'web/src/api/x.ts', true],
    ['src/api/', 'src/app/x.ts', false],
    ['Makefile', 'sub/Makefile', true],
    ['**/*.ts', 'x.ts', true],
    ['**/*.ts', 'a/b/c.ts', true],
    ['**/*.ts', 'a/b/c.tsx', false],
    ['src/**', 'src/a/b', true],
    ['src/**', 'lib/src/a', false],
    ['src/*/x.ts', 'src/a/x.ts', true],
    ['src/*/x.ts', 'src/a/b/x.ts', false],
    ['src/**/x.ts', 'src/x.ts', true],
    ['src/**/x.ts', 'src/a/b/x.ts', true],
    ['src/**/x.ts', 'src/ax.ts', false],
    ['*.{ts,tsx}', 'a/b.tsx', true],
    ['{src,lib}/*.ts', 'lib/a.ts', true],
    ['test_*.py', 'deep/test_a.py', true],
    ['[ab]?.c', 'b1.c', true],
    ['[!ab]?.c', 'b1.c', false],
    ['💥*.md', '💥x.md', true],
  ])('%s on %s: %s', (pattern, path, expected) => {
    expect(filePattern(pattern)(path)).toBe(expected);
  });

  test('stays fast on patterns that make backtracking explode', () => {
    const text = 'a'.repeat(20_000);
    for (const pattern of ['*a*a*a*a*a*a*a*b', '**/a**/a**/a**/b']) expect(filePattern(pattern)(text)).toBe(false);
  });

  test('of more alternatives than a person writes holds for everything, so that its gate still runs', () => {
    const many = `{${Array.from({ length: 300 }, (_, at) => at).join(',')}}`;
    for (const pattern of [many, '{a,b}'.repeat(30), `${'{'.repeat(50_000)}a,b${'}'.repeat(50_000)}`])
      expect(filePattern(pattern)('x')).toBe(true);
  });

  test('agrees with a plain regular expression', () => {
    const piece = fc.constantFrom('a', 'b', '/', '*', '**', '**/', '?', '.');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        fc.string({ unit: fc.constantFrom('a', 'b', '/', '.'), maxLength: 10 }),
        (pieces, path) => {
          const pattern = `x/${pieces.join('')}`;
          fc.pre(/[*?]/.test(pattern));
          expect(filePattern(pattern)(path === '' ? 'x/' : `x/${path}`)).toBe(
            asRegExp(pattern).test(path === '' ? 'x/' : `x/${path}`),
          );
        },
      ),
      { numRuns: 3000 },
    );
  });
});

test('a name pattern ignores case and lets * cross anything', () => {
  expect([
    namePattern('GIT_*')('git_commit'),
    namePattern('mcp__*')('mcp__a__b/c'),
    namePattern('bash')('Bash'),
    namePattern('bash')('bashful'),
  ]).toEqual([true, true, true, false]);
});

/** The textbook translation, safe here because texts are short. */
function asRegExp(pattern: string): RegExp {
  const source = pattern.replaceAll(/(^|(?<=\/))\*\*\/|\*\*+|\*|\?|[.]/g, token => {
    if (token === '**/') return '(?:.*/)?';
    if (token.length > 1) return '.*';
    return { '*': '[^/]*', '?': '[^/]', '.': '\\.' }[token]!;
  });
  return new RegExp(`^${source}$`, 's');
}

test.each([
  ['', 'Bash', true],
  ['*', 'Bash', true],
  ['Edit|Write', 'Write', true],
  ['Edit, Write', 'Write', true],
  ['Edit|Write', 'NotebookEdit', false],
  ['Edit.*', 'NotebookEdit', true],
  ['^Edit$', 'NotebookEdit', false],
  ['edit', 'Edit', false],
  ['mcp__memory__.*', 'mcp__memory__create', true],
  ['mcp__memory', 'mcp__memory__create', false],
])('matcher %j on %s: %s', (matcher, name, expected) => {
  expect(matcherPattern(matcher)(name)).toBe(expected);
});

test.each(['^(a+)+$', `^${'a?'.repeat(40)}b$`, `^${'(a|a)'.repeat(40)}b`])(
  '%s never ends, and counts as a match, so that a gate still runs',
  matcher => {
    expect(matcherPattern(matcher)(`${'a'.repeat(40)}!`)).toBe(true);
  },
);
