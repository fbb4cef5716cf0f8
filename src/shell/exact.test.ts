import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { doubleBraces } from './fixtures/grammars.ts';
import { openWorkshop, realShells } from './fixtures/real-shells.ts';
import { compileCommand } from './placeholder.ts';

const workshop = openWorkshop();
afterAll(() => workshop.close());

const hostile = [
  ...[
    '',
    ' ',
    "'",
    '"',
    '`',
    '\\',
    '$',
    '\n',
    '\t',
    '*',
    '?',
    '[a]',
    '~',
    '-n',
    '--help',
    '-c',
    '{{task_id}}',
    '#',
    '!',
    '%s',
    'EOF',
  ],
  ...[
    '$(touch PWNED)',
    '`touch PWNED`',
    '; touch PWNED',
    '\ntouch PWNED\n',
    '"; touch PWNED; "',
    "'; touch PWNED; '",
    '| touch PWNED',
  ],
  ...[
    '"$(touch PWNED)"',
    "'$(touch PWNED)'",
    '\\$(touch PWNED)',
    'a[$(touch PWNED)]',
    '\nEOF\ntouch PWNED\n',
    '&& touch PWNED #',
    '$((a[$(touch PWNED)]))',
  ],
  ...[
    '${IFS}',
    '$HOOK_ERROR',
    '${HOOK_ERROR}',
    '{a,b}',
    'touch PWNED',
    '(touch PWNED)',
    '}; touch PWNED; {',
    'é🙂漢\u200b',
    ' a  b ',
    'x'.repeat(20_000),
  ],
];

const value = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom(...hostile) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...hostile), { maxLength: 4 }).map(parts => parts.join('')) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  )
  .map(text => text.replaceAll('\0', ''));

const names = {
  session: 'HOOK_SESSION',
  iteration: 'HOOK_ITERATION',
  task_id: 'HOOK_TASK_ID',
  task_content: 'HOOK_TASK_CONTENT',
  error: 'HOOK_ERROR',
};
type Name = keyof typeof names;
const values = fc.record({ session: value, iteration: value, task_id: value, task_content: value, error: value });

/** A part of a word: how it is written, and what the program should get for it. */
interface Part {
  source: string;
  meaning: (values: Record<Name, string>) => string;
}
const text = (source: string, meaning: string): Part => ({ source, meaning: () => meaning });
const quotes = fc.constantFrom('bare', 'double', 'single', 'substitution', 'inner');
const name = fc.constantFrom(...(Object.keys(names) as Name[]));
const withoutTail = (output: string) => output.replace(/\n+$/, '');

const part = fc.oneof(
  fc.tuple(name, quotes).map(([name, quoting]): Part => {
    const placeholder = `{{${name}}}`;
    if (quoting === 'double') return { source: `"<${placeholder}>"`, meaning: all => `<${all[name]}>` };
    if (quoting === 'single') return { source: `'"${placeholder}$x'`, meaning: all => `"${all[name]}$x` };
    if (quoting === 'substitution')
      return { source: `"$(printf %s ${placeholder})"`, meaning: all => withoutTail(all[name]) };
    if (quoting === 'inner')
      return {
        source: `"$(printf '%s' "a'$(printf '%s' '${placeholder}')")"`,
        meaning: all => `a'${withoutTail(all[name])}`,
      };
    return { source: placeholder, meaning: all => all[name] };
  }),
  fc.constantFrom(
    text('ab', 'ab'),
    text('--id=', '--id='),
    text('"a b"', 'a b'),
    text("'$x'", '$x'),
    text('\\"', '"'),
    text("\\'", "'"),
    text('"\\$"', '$'),
    text("''", ''),
    text('#', '#'),
    text('é', 'é'),
    text('"\n"', '\n'),
  ),
);
const word = fc.array(part, { minLength: 1, maxLength: 4 }).map(
  (parts): Part => ({
    // A sharp at the start of a word would be a comment.
    source: `''${parts.map(({ source }) => source).join('')}`,
    meaning: all => parts.map(({ meaning }) => meaning(all)).join(''),
  }),
);

/** Commands around `W`, all of which hand it to `./argv` exactly once as their first argument. */
const frames = [
  ...[
    './argv W',
    './argv W # {{error}} "',
    '(./argv W)',
    '{ ./argv W; }',
    'if ./argv W; then :; fi',
    ': && ./argv W',
    'false || ./argv W',
    ': | ./argv W',
    './argv W > out',
    'X=W; ./argv "$X"',
  ],
  ...[
    'for x in W; do ./argv "$x"; done',
    'case W in *) ./argv W;; esac',
    `sh -c './argv "$1"' _ W`,
    'env ./argv W',
    'env X=W ./argv W',
    'command ./argv W',
    'nice -n 1 ./argv W',
    'timeout 5 ./argv W',
    'time ./argv W',
    'set -- W; ./argv "$@"',
  ],
  ...[
    'export X=W; ./argv "$X"',
    'f() { ./argv "$@"; }; f W',
    `X=W sh -c './argv "$X"'`,
    'echo "$(./argv W)"',
    'while ./argv W; do break; done',
    '[ -n x ] && ./argv W',
    'printf %s W | { cat >/dev/null; ./argv W; }',
    `sh -s -- W <<'EOF'\n./argv "$1"\nEOF`,
    'test W = W && ./argv W',
    './argv W <<EOF\n{{error}} $(echo "{{error}}")\nEOF',
  ],
  'nohup ./argv W',
  'exec ./argv W',
  './argv W; cat <<A >/dev/null\n{{session}}\nA',
  './argv \\\n  W',
  '! ./argv W',
  'sh ./argv W',
  'find ./argv -exec ./argv W \\;',
];

const wholeEnvironment = (all: Record<Name, string>) =>
  Object.fromEntries(Object.entries(names).map(([name, variable]) => [variable, all[name as Name]]));

describe.each(realShells)('in %s', shell => {
  test('every value reaches its program as one exact argument and nothing in it runs', () => {
    const cases = fc.array(fc.tuple(fc.constantFrom(...frames), word), { minLength: 20, maxLength: 40 });
    fc.assert(
      fc.property(values, cases, (all, cases) => {
        const scripts = cases.map(([frame, { source }]) => {
          const result = compileCommand(
            frame.replaceAll('W', () => source),
            doubleBraces,
          );
          return result.kind === 'compiled' ? result.script : `refused: ${result.message}`;
        });
        const calls = workshop.run(shell, scripts, wholeEnvironment(all));
        expect(workshop.damage()).toEqual([]);
        expect(calls).toEqual(cases.map(([, { meaning }]) => [[meaning(all)]]));
      }),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 12) },
    );
  });

  test.each([
    'cat <<EOF > f\n{{error}}\nEOF\n./argv "$(cat f; echo .)"',
    'cat > f <<-EOF\n\t{{error}}\n\tEOF\n./argv "$(cat f; echo .)"',
  ])('a here-document holds each value exactly: %j', command => {
    const result = compileCommand(command, doubleBraces);
    const script = result.kind === 'compiled' ? result.script : '';
    for (const error of hostile) {
      const calls = workshop.run(shell, [script], { HOOK_ERROR: error });
      expect(calls).toEqual([[[`${error}\n.`]]]);
    }
    expect(workshop.damage()).toEqual([]);
  });

  test('a redirection goes to the file the value names', () => {
    const result = compileCommand('echo x > ./{{error}}; ./argv < ./{{error}} *', doubleBraces);
    const script = result.kind === 'compiled' ? result.script : '';
    for (const error of ['a b', '$(touch PWNED)', '-n', 'é', "'"]) {
      expect(workshop.run(shell, [script], { HOOK_ERROR: error })[0]![0]!.toSorted()).toEqual(
        [error, 'argv'].toSorted(),
      );
    }
    expect(workshop.damage()).toEqual([]);
  });
});
