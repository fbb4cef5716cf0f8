import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { parseJson } from '../src/config/json.ts';
import type { Located, ParseConfig } from '../src/config/located.ts';
import { parseToml } from '../src/config/toml.ts';
import { parseYaml } from '../src/config/yaml.ts';
import { dialects } from '../src/dialects/index.ts';
import { readPipelineFile } from '../src/dialects/pipelines/config.ts';
import type { Dialect, Found, Normalised } from '../src/model/index.ts';
import { compileCommand } from '../src/shell/placeholder.ts';
import { somewhere } from './contracts/dialect.ts';
import { root } from './program.ts';

/** For each test; more than ten thousand in all. FUZZ_SCALE=10 looks ten times as hard. */
const runs = 1000 * Number(process.env['FUZZ_SCALE'] ?? 1);
const timeoutMs = 60_000 * Math.max(1, runs / 1000);

const textsOf = (dialect: string): string[] => {
  const folder = join(root, 'src/dialects', dialect, 'fixtures');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(json|ya?ml|toml)$/.test(entry.name) && entry.name !== 'expected.json')
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .filter(text => text.length < 5000);
};

const json = [...textsOf('sauna'), ...textsOf('claude')];
const toml = textsOf('nyzhi');
const yaml = ['iteratr', 'native', 'pipelines'].flatMap(textsOf);

const tokens = [
  ...[
    '__proto__',
    'constructor',
    '&a ',
    '*a',
    '<<: *a',
    '!!binary x',
    '!!js/function',
    '%YAML 9\n',
    '---\n',
    '...\n',
    '? ',
  ],
  ...['[[', ']]', '[', ']', '{', '}', ':', ': ', '- ', '\n', '\n  ', '\t', '#', ',', '=', '|\n', '>-\n', '"""', "'''"],
  ...['"', "'", '\\', '\\u0000', '\\ud800', '\0', '\ufeff', '\u2028', '💥', '\r\n', 'null', '~', 'true', '-1', '1e999'],
  ...[
    '0x7fffffffffffffffff',
    '1979-05-27T07:32:00Z',
    '.nan',
    '${',
    '{{',
    '}}',
    '{{error}}',
    '{file}',
    '$(',
    '`',
    'when',
  ],
];

/** A real file with some pieces cut out, doubled, moved in from another file, or replaced by a token. */
const mutated = (samples: readonly string[]): fc.Arbitrary<string> => {
  const edit = fc.record({
    at: fc.nat(),
    length: fc.nat(40),
    put: fc.oneof(
      fc.constantFrom(...tokens),
      fc.string({ maxLength: 8, unit: 'binary' }),
      fc.tuple(fc.constantFrom(...samples), fc.nat(), fc.nat(80)).map(([sample, from, length]) => {
        const start = from % (sample.length + 1);
        return sample.slice(start, start + length);
      }),
    ),
  });
  return fc.tuple(fc.constantFrom(...samples), fc.array(edit, { minLength: 1, maxLength: 5 })).map(([sample, edits]) =>
    edits.reduce((text, { at, length, put }) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + put + text.slice(start + length);
    }, sample),
  );
};

const check = (samples: readonly string[], property: (text: string) => void): void =>
  fc.assert(fc.property(mutated(samples), property), { numRuns: runs });

describe('whatever stands in a hook file', () => {
  const samplesOf: Record<string, string[]> = { sauna: json, claude: json, nyzhi: toml };
  const readers = dialects.filter(({ locations }) => locations.some(({ holds }) => holds === 'file'));

  test.each(readers.map(dialect => [dialect.name, dialect] as const))(
    '%s reads it, or says what is wrong and where',
    (name, dialect) =>
      check(samplesOf[name] ?? yaml, text =>
        expectSound(text, () => dialect.normalise([foundText(dialect, text)], somewhere)),
      ),
    timeoutMs,
  );

  test(
    'a pipeline is read, or told to be wrong',
    () => {
      const file = { file: 'loops/work/loop.yaml', path: '/p/loops/work/loop.yaml', scope: 'stage' } as const;
      check(yaml, text => expectSound(text, () => readPipelineFile({ ...file, text })));
    },
    timeoutMs,
  );
});

/** Plain data, the same each time, with problems that point into the file. */
function expectSound(text: string, read: () => Normalised): void {
  const { hooks, problems } = read();
  expect(JSON.parse(JSON.stringify(hooks))).toEqual(hooks);
  expect(JSON.stringify(read().hooks)).toBe(JSON.stringify(hooks));
  expect(new Set(hooks.map(({ id }) => id)).size).toBe(hooks.length);
  const lines = text.split('\n');
  for (const { at, message } of problems) {
    expect(message).not.toBe('');
    expect(at.line).toBeGreaterThan(0);
    expect(at.line).toBeLessThanOrEqual(lines.length);
    expect(at.column).toBeGreaterThan(0);
    expect(at.column).toBeLessThanOrEqual(lines[at.line - 1]!.length + 1);
  }
}

function foundText(dialect: Dialect, text: string): Found {
  const location = dialect.locations.find(({ holds }) => holds === 'file')!;
  return { kind: 'text', location, path: `/p/${location.path}`, file: location.path, text };
}

describe('a parser', () => {
  test(
    'of JSON takes what JSON.parse takes, and means the same',
    () => {
      check(json, text => {
        const parsed = parseJson(text);
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          if (text.trim() !== '') expect(parsed.kind).toBe('broken');
          return;
        }
        expect(parsed.kind).toBe('parsed');
        if (parsed.kind === 'parsed') expect(toPlain(parsed.root!)).toEqual(expected);
      });
    },
    timeoutMs,
  );

  test.each<[name: string, parse: ParseConfig, samples: string[]]>([
    ['TOML', parseToml, toml],
    ['YAML', parseYaml, yaml],
  ])(
    'of %s places everything inside the text',
    (_, parse, samples) =>
      check(samples, text => {
        const parsed = parse(text);
        const spans = parsed.kind === 'parsed' && parsed.root ? spansIn(parsed.root) : [];
        for (const { start, end } of [...spans, ...parsed.flaws.map(({ span }) => span)])
          expect(0 <= start && start <= end && end <= text.length + 1, `${start}-${end} of ${text.length}`).toBe(true);
        if (parsed.kind === 'broken') expect(parsed.flaws.length).toBeGreaterThan(0);
      }),
    timeoutMs,
  );
});

test(
  'a command with a placeholder is compiled or refused',
  () => {
    const commands = yaml.flatMap(text => [...text.matchAll(/command: (.+)/g)].map(([, command]) => command!));
    const grammar = {
      pattern: /\{\{(\w+)\}\}/g,
      variableOf: (name: string) => (name === 'error' ? 'HOOK_ERROR' : undefined),
    };
    check(commands, text => {
      const compiled = compileCommand(`${text} {{error}}`, grammar);
      if (compiled.kind === 'compiled') expect(compiled.variables).toEqual(['HOOK_ERROR']);
      else expect(compiled.message.length * compiled.hint.length).toBeGreaterThan(0);
    });
  },
  timeoutMs,
);

afterAll(() => expect(Reflect.ownKeys({}.constructor.prototype as object)).toEqual(prototypeKeys));
const prototypeKeys = Reflect.ownKeys(Object.prototype);

const toPlain = (node: Located): unknown => {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toPlain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, toPlain(value)]));
};

const spansIn = (node: Located): Located['span'][] => {
  if (node.kind === 'scalar') return [node.span];
  if (node.kind === 'list') return [node.span, ...node.items.flatMap(spansIn)];
  return [node.span, ...node.entries.flatMap(({ keySpan, value }) => [keySpan, ...spansIn(value)])];
};
