import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { askShells, isPlain, type Question } from './check-syntax.ts';

const command = (text: string, shell = 'sh'): Question => ({ shell, kind: 'command', text });
const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-flaws-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

test('each question has its own answer, whatever its neighbours leave open', () => {
  const flaws = askShells([
    command('echo "open'),
    command('echo closed"'),
    command('true'),
    command('cat <<END'),
    command('if true; then echo; fi'),
    command('true\nfor x in; do'),
    command('echo "open'),
    command('a=(1 2)'),
    command('a=(1 2)', 'bash'),
  ]);
  expect(flaws.map(flaw => flaw !== undefined)).toEqual([true, true, false, false, false, true, true, true, false]);
  expect(flaws[5]?.line).toBe(2);
  expect(flaws[0]).toEqual({ line: 1, message: expect.stringMatching(/quote|unterminated/i) });
});

test('nothing is run', () => {
  const ran = join(temporaryFolder(), 'ran');
  askShells(
    ['sh', 'bash'].flatMap(shell => [`(touch ${ran})`, `\${x:-$(touch ${ran})}`].map(one => command(one, shell))),
  );
  expect(existsSync(ran)).toBe(false);
});

test('scripts are read from their files', () => {
  const folder = temporaryFolder();
  const [good, bad] = [join(folder, 'good one.sh'), join(folder, 'bad.sh')];
  writeFileSync(good, '#!/bin/sh\nif true; then :; fi\n');
  writeFileSync(bad, '#!/bin/sh\ntrue\nfi\n');
  for (const path of [good, bad]) chmodSync(path, 0o755);
  const flaws = askShells([good, bad].map(text => ({ shell: 'sh', kind: 'file', text })));
  expect([flaws[0], flaws[1]?.line]).toEqual([undefined, 3]);
});

test('a shell that is not there has no complaints, and neither has none', () => {
  expect(askShells([command('if', 'no-such-shell'), { shell: '', kind: 'file', text: '/nowhere' }])).toEqual([
    undefined,
    undefined,
  ]);
});

test('a command too long for an argument, and one with NUL, are left out without harm', () => {
  const flaws = askShells([command(`(${' '.repeat(200_000)}`), command('(\0'), command('(')]);
  expect(flaws.map(flaw => flaw !== undefined)).toEqual([false, false, true]);
});

test('thousands of commands are asked in batches', () => {
  const commands = Array.from({ length: 1500 }, (_, at) => command(at % 500 === 7 ? `( ${at}` : `(echo ${at})`));
  const bad = askShells(commands).flatMap((flaw, at) => (flaw ? [at] : []));
  expect(bad).toEqual([7, 507, 1007]);
}, 60_000);

test.each([
  ['npm test', true],
  ['true # it\'s "fine', true],
  ['npm run lint && npm test || echo "failed in $DIR" ; ls -la *.ts | wc -l', true],
  ["A='b c' node script.js --port=80", true],
  ['a\n\n  b', true],
  ['if true', false],
  ['echo a; then', false],
  ['a &&', false],
  ['; a', false],
  ['a ;; b', false],
  ['echo "it', false],
  ["echo 'it", false],
  ['echo `date`', false],
  ['echo $(date)', false],
  ['echo ${a b}', false],
  ['(true)', false],
  ['! true', false],
  ['{ true', false],
  ['a\\', false],
  ['[[ a', false],
  ['f()', false],
])('%j is plain: %s', (text, expected) => expect(isPlain(text)).toBe(expected));

test('what counts as plain every shell can read', () => {
  const pieces = [
    'a',
    ' ',
    ';',
    '|',
    '&&',
    '||',
    '"',
    "'",
    '#',
    '$A',
    '${A}',
    '=',
    '\n',
    '[',
    ']',
    'if',
    'fi',
    '/x',
    '*',
  ];
  const scripts = fc
    .sample(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), 40_000)
    .map(parts => parts.join(''));
  const plain = [...new Set(scripts)].filter(script => isPlain(script) && script.length > 3).slice(0, 600);
  expect(plain.length).toBeGreaterThan(300);
  // In braces, so that they are asked in spite of being plain.
  const asked = ['sh', 'bash'].flatMap(shell => plain.map(text => command(`{ :\n${text}\n:; }`, shell)));
  const flaws = askShells(asked);
  expect(asked.filter((_, at) => flaws[at]).map(({ text }) => text)).toEqual([]);
}, 60_000);
