import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandPattern, shellCommands } from '../shell/commands.ts';
import { namePattern } from './pattern.ts';
import { plainPattern, plainText } from './plain-command.ts';

const plainCommand = (text: string, pattern: string) => {
  const plain = plainText(text);
  return plain && plainPattern(pattern)(plain);
};
const read = (text: string, pattern: string) => commandPattern(pattern, namePattern)(shellCommands(text));

test.each([
  ['git push', 'git push', 'matches'],
  ['cd x && npm test 2>&1 | tail -20; GIT push origin', 'git push', 'matches'],
  ['npm test 2>&1 | tail -20', 'git push', 'differs'],
  ['git status > /dev/null', 'git push', 'differs'],
  ['rm x', 'git *', 'differs'],
  ['A=1 git push', 'git push', undefined],
  ['git push --force', 'git push --force', undefined],
  ['cat x | sh', 'git push', undefined],
  ['cat x ||sh', 'git push', 'differs'],
  ['cat x |& sh', 'git push', undefined],
  ['echo "a"', 'git push', undefined],
  ['git $X', 'git push', undefined],
] as const)('of %j and %j it tells %s', (text, pattern, told) => {
  expect(plainCommand(text, pattern)).toBe(told);
  if (told !== undefined) expect(read(text, pattern)).toBe(told);
});

const word = fc.constantFrom(
  ...[
    'git',
    'push',
    'GIT',
    'status',
    '-C',
    'x',
    'sudo',
    'npm',
    'run',
    'sh',
    'bash',
    '-c',
    'eval',
    'A=1',
    'env',
    'xargs',
  ],
  ...[
    'cat',
    'tail',
    'cd',
    'timeout',
    '5',
    'if',
    'then',
    'fi',
    'alias',
    'g=git',
    'g',
    'git-push',
    './git',
    'npx',
    'time',
  ],
  ...[
    '2>&1',
    '>/dev/null',
    '> /dev/null',
    '>&2',
    'for',
    'in',
    'do',
    'done',
    '.',
    'source',
    'python',
    'ssh',
    'tee',
    'exec',
  ],
);
const separator = fc.constantFrom(' ', ' ', ' ', ' ', ' && ', '; ', ' | ', '|', ' || ', '\n', '& ', ';', ' |& ', '\t');
const text = fc
  .array(fc.tuple(word, separator), { minLength: 1, maxLength: 8 })
  .map(parts => parts.flat().join('').trim());
const pattern = fc.constantFrom('git push', 'git', 'sudo', 'npm run', 'git push*', 'git push -f', 'npx', 'sh', 'eval');

test('what it tells is what the grammar tells', () => {
  fc.assert(
    fc.property(text, pattern, (script, wanted) => {
      const told = plainCommand(script, wanted);
      if (told !== undefined) expect(told, script).toBe(read(script, wanted));
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 3000) },
  );
});
