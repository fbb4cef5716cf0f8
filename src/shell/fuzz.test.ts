import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { doubleBraces } from './fixtures/grammars.ts';
import { openWorkshop, realShells } from './fixtures/real-shells.ts';
import { canaryValue, skeleton, syntax } from './fixtures/skeletons.ts';
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
  'taskset',
  'tee',
  'ed',
  'true',
];
const workshop = openWorkshop(programs);
afterAll(() => workshop.close());

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
          plain: {},
          unknown: [],
        });
      }),
      { numRuns: 3000 },
    );
  });

  test.each(realShells)('would sound the alarm in %s if a value ran', shell => {
    const other = openWorkshop(programs);
    const scripts = ['sh -c "$HOOK_ERROR"', 'eval "$HOOK_ERROR"', '"$HOOK_ERROR"'];
    for (const script of scripts) other.run(shell, [script], { HOOK_ERROR: 'canary' });
    expect(other.damage().join('')).toBe('canary \n'.repeat(scripts.length));
    other.close();
  });

  test.each(realShells)('that compiles never runs a value in %s', shell => {
    const batch = fc.array(skeleton, { minLength: 200, maxLength: 200, size: 'max' });
    fc.assert(
      fc.property(fc.record({ error: canaryValue, task_id: canaryValue }), batch, ({ error, task_id }, texts) => {
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

/** Other programs on the machine do not count. */
function secondsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}

describe('a long text', () => {
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
      'foo eval ',
      'foo eval "a b" sh -c ',
      'foo env ',
      'foo git $x ',
      'echo git | sh;',
      'echo {{error}} > f; sh g;',
      '$x;',
      'foo sh;',
    ],
  ];
  test.each(pieces)('made of %j is read in time', piece => {
    const text = piece.repeat(Math.ceil(262_144 / piece.length));
    const seconds = secondsOf(() => {
      gitCommands(text);
      for (const whole of [`echo {{error}}; ${text.slice(0, 130_000)}`, `${text.slice(0, 130_000)} {{error}}`]) {
        compileCommand(whole, doubleBraces);
      }
    });
    expect(seconds).toBeLessThan(6);
  });

  test.each(['a ', '"a"'])('of a whole megabyte made of %j is read in time', piece => {
    expect(secondsOf(() => gitCommands(piece.repeat(Math.ceil(1_048_576 / piece.length))))).toBeLessThan(25);
  });

  test('full of placeholders is read in time', () => {
    const fill = (piece: string) => compileCommand(`echo ${piece.repeat(7_000)}`, doubleBraces);
    const pieces = [
      '{{error}} ',
      'echo {{error}};',
      '"{{error}}" ',
      "'{{error}}'",
      '$(echo {{error}}) ',
      'x={{error}} ',
    ];
    expect(secondsOf(() => pieces.forEach(fill))).toBeLessThan(10);
  });
});
