import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { accepted, refused } from './fixtures/commands.ts';
import { doubleBraces } from './fixtures/grammars.ts';
import { openWorkshop, realShells } from './fixtures/real-shells.ts';
import { gitCommands } from './git.ts';
import { parseCommands } from './parse.ts';
import { compileCommand } from './placeholder.ts';

// Real interpreters and wrappers, so that a value which slips through does run; nothing that could do harm.
const programs = [
  'sh',
  'bash',
  'dash',
  'env',
  'cat',
  'xargs',
  'nice',
  'nohup',
  'timeout',
  'find',
  'python3',
  'perl',
  'awk',
  'sed',
  'expr',
  'true',
];
const workshop = openWorkshop(programs);
afterAll(() => workshop.close());

const words = (text: string) => text.split(' ').filter(word => word !== '');
const syntax = [
  ...words(
    `; & && || | |& ( ) { } " ' \\ $ \` # < > >> <<EOF <<'EOF' EOF <<< $( \${ $(( )) (( [[ ]] [ ] ! = , * ? ~ &> >& <( >( $' $" $[ ;; @ - --`,
  ),
  ...[' ', ' ', ' ', ' ', '\n', '\nEOF\n', '\\\n', '; ', '" ', "' ", ' "', " '", '$(', ')', '"$(', ')"'],
];
const terms = words(
  `if then else fi for x in do done case esac while until function time f() echo eval sh bash dash -c -s -e -lc env exec command xargs -I{} {} nice nohup timeout 5 find . -exec ; + python3 perl awk sed x= x+= x[ X=1 a 1 -eq -n -v -i -p read let declare export local unset printf %s test trap EXIT set source /dev/stdin $x "$x" $1 "$1" \${x: \${x[ \${!x} 'eval "$1"' '$1' alias a=eval cat expr true builtin typeset -n mapfile PS4= -x`,
);
const holes = ['{{error}}', '{{error}}', '"{{error}}"', "'{{error}}'", '{{task_id}}'];

const token = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...syntax) },
  { weight: 5, arbitrary: fc.constantFrom(...terms).map(term => ` ${term} `) },
  { weight: 2, arbitrary: fc.constantFrom(...terms) },
  { weight: 3, arbitrary: fc.constantFrom(...holes).map(hole => ` ${hole} `) },
  { weight: 2, arbitrary: fc.constantFrom(...holes) },
);
const noise = fc.array(token, { minLength: 1, maxLength: 14 }).map(tokens => tokens.join(''));

const fill = (frame: string, parts: readonly string[]) =>
  parts.reduce((text, part) => text.replace('%', () => part), frame);
const { command: sentence } = fc.letrec<{ word: string; simple: string; command: string }>(tie => ({
  word: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'word' },
    fc.constantFrom(...terms),
    fc.constantFrom(...holes),
    fc
      .tuple(
        fc.constantFrom('a%', '%b', '"%"', "'%'", '"a % b"', 'x=%', '--x=%', '-%', './%', '-c%', '"-%"', '{%,a}'),
        tie('word'),
      )
      .map(([frame, word]) => fill(frame, [word])),
    fc
      .tuple(
        fc.constantFrom('$(%)', '"$(%)"', '`%`', '<(%)', '${x:-%}', '$((%))', '"$(% | cat)"', "'%'", '"%"'),
        tie('command'),
      )
      .map(([frame, inner]) => fill(frame, [inner])),
  ),
  simple: fc
    .tuple(
      fc.constantFrom(...terms, 'echo', 'cat', 'sh', 'bash', 'env', './argv'),
      fc.array(tie('word'), { maxLength: 5 }),
    )
    .map(([program, args]) => [program, ...args].join(' ')),
  command: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'command', withCrossShrink: true },
    { weight: 3, arbitrary: tie('simple') },
    fc
      .tuple(
        fc.constantFrom(
          ...[
            '%; %',
            '% && %',
            '% | %',
            '% | sh',
            '(%) | %',
            '{ %; } | %',
            'if %; then %; fi',
            'for x in %; do %; done',
            'case x in %) %;; esac',
            'f() { %; }; f %',
          ],
          ...[
            'x=%; %',
            'while %; do break; done; %',
            '% <<EOF\n%\nEOF',
            "% <<'EOF'\n%\nEOF",
            '% <<< %',
            '% > %',
            '% # %',
            '%\n%',
            '% & %',
            '% &> f %',
            'time %; %',
            '! %; %',
            'set -- %; %',
            'read x < %; %',
            '[[ % == % ]]',
            '[ % = % ]',
          ],
        ),
        tie('command'),
        fc.oneof(tie('command'), tie('word')),
      )
      .map(([frame, first, second]) => fill(frame, [first, second])),
  ),
}));

// Commands people write, with some of their parts exchanged for parts of others.
const known = [...accepted, ...refused].flatMap(({ commands }) =>
  commands.map(text => text.replaceAll('task_id', 'error')),
);
const split = (text: string) => text.match(/\{\{\w+\}\}|[\w./-]+|\s+|[^\w\s]/g) ?? [];
const parts = fc.constantFrom(...new Set(known.flatMap(split)));
const change = fc.record({ at: fc.nat(30), drop: fc.nat(2), add: fc.array(fc.oneof(parts, token), { maxLength: 2 }) });
const mutant = fc.tuple(fc.constantFrom(...known), fc.array(change, { maxLength: 3 })).map(([text, changes]) => {
  const pieces = split(text);
  for (const { at, drop, add } of changes) pieces.splice(at % (pieces.length + 1), drop, ...add);
  return pieces.join('');
});
const skeleton = fc.oneof(noise, sentence, mutant, mutant);
const value = fc.constantFrom(
  ...[
    'canary',
    '$(canary)',
    '`canary`',
    '; canary',
    '\ncanary\n',
    '"; canary; "',
    "'; canary; '",
    'a[$(canary)]',
    'x=canary',
    '-c',
    '-ccanary',
  ],
  ...[
    '-vb[$(canary)]',
    'BEGIN{system("canary")}',
    '1e canary',
    '-cimport os; os.system("canary")',
    '-esystem("canary")',
    '$(canary) ) canary',
    '\nEOF\ncanary\n',
    'eval',
    'sh',
    '-exec',
    'canary #',
    '}; canary; {',
    '\\',
  ],
);

describe('random text', () => {
  test('is never too much for the parser, and without placeholders it stays as it is', () => {
    const any = fc.oneof(
      skeleton,
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(fc.constantFrom(...syntax), { maxLength: 60 }).map(parts => parts.join('')),
    );
    fc.assert(
      fc.property(any, text => {
        const { commands } = parseCommands(text);
        expect(commands.every(({ start, end }) => start <= end && end <= text.length)).toBe(true);
        expect(Array.isArray(gitCommands(text))).toBe(true);
        compileCommand(text, doubleBraces);
        const plain = text.replaceAll('}}', '');
        expect(compileCommand(plain, doubleBraces)).toEqual({
          kind: 'compiled',
          script: plain,
          variables: [],
          unknown: [],
        });
      }),
      { numRuns: 3000 },
    );
  });

  test.each(realShells)('that compiles never runs a value in %s', shell => {
    const batch = fc.array(skeleton, { minLength: 200, maxLength: 200, size: 'max' });
    fc.assert(
      fc.property(fc.record({ error: value, task_id: value }), batch, ({ error, task_id }, texts) => {
        const scripts = texts.map(text => compileCommand(text, doubleBraces));
        const runnable = scripts.flatMap(result =>
          result.kind === 'compiled' && result.variables.length > 0 ? [result.script] : [],
        );
        workshop.run(shell, runnable, { HOOK_ERROR: error, HOOK_TASK_ID: task_id });
        expect(workshop.damage()).toEqual([]);
      }),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 8), endOnFailure: true },
    );
  });
});

describe('a text of 1 MiB', () => {
  const pieces = [
    ...[
      '(',
      '((',
      '$(',
      '"$(',
      '${',
      '"${x:-',
      '$((',
      '`',
      '\\`',
      "'",
      '"',
      '\\',
      ' ',
      '\\\n',
      '\n',
      'a ',
      'a;',
      'a|',
      '{ ',
      'if ',
      'a=(',
      'x=1 ',
      '<<a\n',
      '<<a ',
      '<<< a ',
      '>',
      '<(',
      '# a\n',
    ],
    ...[
      'case a in ',
      'case a in a) ',
      'for a in ',
      'time ',
      'time -p ',
      'f() ',
      "$'a\\",
      '{a,',
      '[[ ',
      'sh ',
      'sh -c ',
      'env ',
      'eval ',
      'find -exec ',
      'xargs ',
      'cat <<a $(\n',
      'cat <<a\n$(a)\na\n',
      'sudo -u ',
      'git -c ',
      '"a"',
      "a'b'",
      'a=$(',
      'x[',
      'python -c a ',
    ],
  ];
  test.each(pieces)('made of %j is read in time', piece => {
    const text = piece.repeat(Math.ceil(1_048_576 / piece.length));
    const started = performance.now();
    gitCommands(text);
    for (const whole of [`echo {{error}}; ${text.slice(0, 130_000)}`, `${text.slice(0, 130_000)} {{error}}`]) {
      compileCommand(whole, doubleBraces);
    }
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('full of placeholders is read in time', () => {
    const started = performance.now();
    for (const piece of [
      '{{error}} ',
      'echo {{error}};',
      '"{{error}}" ',
      "'{{error}}'",
      '$(echo {{error}}) ',
      'x={{error}} ',
    ]) {
      compileCommand(`echo ${piece.repeat(7_000)}`, doubleBraces);
    }
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
