import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appendItems } from './append-items.ts';

const item = { value: { deny: 'No: "x"', command: 'git push' }, remark: 'AGENTS.md: Never\npush.' };
const written = '- { deny: "No: \\"x\\"", command: git push }';
const path = ['hooks', 'tool.calling'];

test.each([
  ['nothing', '', `hooks:\n  tool.calling:\n    # AGENTS.md: Never push.\n    ${written}\n`],
  ['remarks alone', '# mine\n', `# mine\nhooks:\n  tool.calling:\n    # AGENTS.md: Never push.\n    ${written}\n`],
  [
    'a list with remarks behind and below',
    'hooks:\n  tool.calling:\n    - a   # why\n    # tail\n\n  x:\n  - b\n',
    `hooks:\n  tool.calling:\n    - a   # why\n    # AGENTS.md: Never push.\n    ${written}\n    # tail\n\n  x:\n  - b\n`,
  ],
  [
    'a list that is not indented, and no end of line',
    'hooks:\n  tool.calling:\n  - a',
    `hooks:\n  tool.calling:\n  - a\n  # AGENTS.md: Never push.\n  ${written}\n`,
  ],
  [
    'other events',
    'agent: claude\nhooks:\n    x:\n        - |\n          foo\n\n          bar\n\n# end\nroot: true\n',
    `agent: claude\nhooks:\n    x:\n        - |\n          foo\n\n          bar\n    tool.calling:\n      # AGENTS.md: Never push.\n      ${written}\n\n# end\nroot: true\n`,
  ],
  [
    'braces without anything in them',
    'hooks: {}   # none yet\nroot: true\n',
    `hooks:    # none yet\n  tool.calling:\n    # AGENTS.md: Never push.\n    ${written}\nroot: true\n`,
  ],
  ['braces', 'hooks: { x: [a] } # y\n', `hooks: { x: [a], tool.calling: [${written.slice(2)}] } # y\n`],
  ['brackets', 'hooks:\n  tool.calling: [ a, b ] # y\n', `hooks:\n  tool.calling: [ a, b, ${written.slice(2)} ] # y\n`],
  [
    'a key without a value',
    'hooks:\n  tool.calling:\n  x: [a]\n',
    `hooks:\n  tool.calling:\n    # AGENTS.md: Never push.\n    ${written}\n  x: [a]\n`,
  ],
  [
    'lines that end as on Windows',
    'hooks:\r\n  tool.calling:\r\n    - a\r\n',
    `hooks:\r\n  tool.calling:\r\n    - a\r\n    # AGENTS.md: Never push.\r\n    ${written}\r\n`,
  ],
])('items are added to a text with %s', (_, text, expected) => {
  expect(appendItems(text, path, [item])).toBe(expected);
});

test.each([
  ['an alias', 'a: &a [x]\nhooks:\n  tool.calling: *a\n'],
  ['no list', 'hooks:\n  tool.calling: x\n'],
  ['no map', 'hooks: [x]\n'],
  ['not YAML', 'hooks: [\n'],
])('a text with %s is left alone', (_, text) => expect(appendItems(text, path, [item])).toBeUndefined());

test('whatever a text is, all of it stays and the items are what is added', () => {
  const list = fc.constantFrom(
    '    - a\n',
    '    - b   # why\n',
    '    # a remark\n',
    '\n',
    '    - { c: d }\n',
    '    - |\n      e\n\n',
    '    - |\n      f\n',
  );
  const text = fc.tuple(fc.array(list), fc.array(list), fc.boolean()).map(([a, b, isLast]) => {
    const event = (name: string, lines: readonly string[]): string => `  ${name}:\n${lines.join('')}`;
    const parts = [event('tool.calling', a), event('x', b)];
    return `# top\nhooks:\n${(isLast ? parts : parts.reverse()).join('')}\nagent: x # end\n`;
  });
  fc.assert(
    fc.property(text, before => {
      const after = appendItems(before, path, [item]);
      expect(after).toBeDefined();
      const kept = after!.split('\n').filter(line => !line.includes('AGENTS.md') && !line.includes('git push'));
      expect(kept.join('\n')).toBe(before);
    }),
  );
});
