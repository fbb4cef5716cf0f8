import { expect, test } from 'vitest';
import { describeProblem } from '../model/index.ts';
import { read } from './read.ts';
import { createReport } from './report.ts';
import { count, either, filled, flag, json, list, map, oneOf, record, type Shape, seconds, text } from './shape.ts';
import { parseYaml } from './yaml.ts';

const hook = record(
  {
    command: filled('Shell command'),
    timeout: seconds(),
    retries: count(),
    block: flag(),
    kind: oneOf(['shell', 'spawn']),
    headers: map(text()),
    body: json(),
  },
  { required: ['command'] },
);

test('a value that fits is returned as plain data', () => {
  const written = 'command: make\ntimeout: 1.5\nblock: true\nheaders: { a: b }\nbody: [1, { x: null }]\n';
  expect(check(written, hook)).toEqual({
    value: { command: 'make', timeout: 1.5, block: true, headers: { a: 'b' }, body: [1, { x: null }] },
    problems: [],
  });
});

test.each([
  [
    'command: 7',
    'f.yml:1:10: error: expected a text, found the number 7\n  1 | command: 7\n    |          ^\n  hint: put it in quotes: "7"',
  ],
  [
    'command: "  "',
    'f.yml:1:10: error: "  " is empty\n  1 | command: "  "\n    |          ^^^^\n  hint: Shell command',
  ],
  [
    'command: a\ntimeout: 30s',
    'f.yml:2:10: error: expected a number of seconds, found the text "30s"\n  2 | timeout: 30s\n    |          ^^^\n  hint: write 30 (seconds)',
  ],
  [
    'command: a\ntimeout: "2m"',
    'f.yml:2:10: error: expected a number of seconds, found the text "2m"\n  2 | timeout: "2m"\n    |          ^^^^\n  hint: write 120 (seconds)',
  ],
  [
    'command: a\nblock: "yes"',
    'f.yml:2:8: error: expected true or false, found the text "yes"\n  2 | block: "yes"\n    |        ^^^^^\n  hint: write true',
  ],
  ['command: a\nretries: 1.5', 'f.yml:2:10: error: 1.5 must be a whole number\n  2 | retries: 1.5\n    |          ^^^'],
  ['command: a\nretries: -1', 'f.yml:2:10: error: -1 must be at least 0\n  2 | retries: -1\n    |          ^^'],
  [
    'command: a\nkind: shel',
    'f.yml:2:7: error: "shel" is not one of shell, spawn\n  2 | kind: shel\n    |       ^^^^\n  hint: did you mean shell?',
  ],
  [
    'timeout: 1',
    'f.yml:1:1: error: "command" is missing\n  1 | timeout: 1\n    | ^^^^^^^^^^\n  hint: command: Shell command',
  ],
  [
    'command: a\ntimout: 1',
    'f.yml:2:1: warning: unknown key "timout"\n  2 | timout: 1\n    | ^^^^^^\n  hint: did you mean timeout?',
  ],
  [
    'command: a\nbody: { __proto__: 1 }',
    'f.yml:2:9: error: the key "__proto__" is not allowed\n  2 | body: { __proto__: 1 }\n    |         ^^^^^^^^^\n  hint: choose another name',
  ],
])('%j is told with its place and what to write instead', (written, told) => {
  expect(check(written, hook).problems.map(problem => describeProblem(problem))).toEqual([told]);
});

test('an alternative is chosen by what is there', () => {
  const entry = either([filled(), hook]);
  expect(check('- make\n- command: test\n', list(entry)).value).toEqual(['make', { command: 'test' }]);
  expect(check('- []\n', list(entry)).problems[0]?.message).toBe('expected a text or a map, found a list');
});

test('control characters of a file never reach the terminal', () => {
  const [problem] = check('command: "a\\u001b[31m"\n"ti\\u001b[2Jmeout": 3\n', hook).problems;
  expect(describeProblem(problem!)).not.toContain('\u001b');
});

function check(written: string, shape: Shape) {
  const parsed = parseYaml(written);
  if (parsed.kind === 'broken' || !parsed.root) throw new Error('broken');
  const report = createReport('f.yml', written, true);
  return { value: read(parsed.root, shape as never, report) as unknown, problems: report.problems };
}
