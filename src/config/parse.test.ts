import { describe, expect, test } from 'vitest';
import { parseJson } from './json.ts';
import { childOf, itemsOf, type Located, type ParseConfig } from './located.ts';
import { parseToml } from './toml.ts';
import { parseYaml } from './yaml.ts';

const samples: [string, ParseConfig, string][] = [
  [
    'JSON',
    parseJson,
    '{ "agent": { "hooks": [ { "event": "after_edit", "timeout": 30, "block": true }, { "event": "b" } ] } }',
  ],
  [
    'YAML',
    parseYaml,
    'agent:\n  hooks:\n    - event: after_edit\n      timeout: 30\n      block: true\n    - { event: b }\n',
  ],
  [
    'TOML',
    parseToml,
    '[[agent.hooks]]\nevent = "after_edit"\ntimeout = 30\nblock = true\n\n[[agent.hooks]]\nevent = "b"\n',
  ],
];

describe.each(samples)('%s', (_name, parse, text) => {
  test('becomes the same located tree whatever the format', () => {
    expect(plain(rootOf(parse(text)))).toEqual({
      agent: { hooks: [{ event: 'after_edit', timeout: 30, block: true }, { event: 'b' }] },
    });
  });

  test('knows where a value stands', () => {
    const hook = itemsOf(childOf(childOf(rootOf(parse(text)), 'agent'), 'hooks'))[0]!;
    const { start, end } = childOf(hook, 'event')!.span;
    expect(text.slice(start, end)).toMatch(/^"?after_edit"?$/);
  });

  test('that nests without end is broken, not a crash', () => {
    for (const deep of [
      '['.repeat(100_000),
      '{"a":'.repeat(50_000),
      `a = ${'['.repeat(100_000)}`,
      `${'- '.repeat(50_000)}x`,
      `[${'a.'.repeat(5000)}b]`,
    ])
      expect(parse(deep).kind).toMatch(/broken|parsed/);
    const nested = `${'['.repeat(200)}${']'.repeat(200)}`;
    expect(parse(parse === parseToml ? `a = ${nested}` : nested)).toMatchObject({
      kind: 'broken',
      flaws: [{ message: 'nested too deeply' }],
    });
  });

  test('of white space alone is an empty file', () => {
    expect(parse(' \n\n')).toEqual({ kind: 'parsed', root: undefined, flaws: [] });
  });
});

test('YAML aliases are resolved, and a bomb of them is refused', () => {
  expect(plain(rootOf(parseYaml('base: &b { timeout: 5 }\nhook: *b\nmerged:\n  <<: *b\n  command: x\n')))).toEqual({
    base: { timeout: 5 },
    hook: { timeout: 5 },
    merged: { command: 'x', timeout: 5 },
  });
  const levels = Array.from(
    { length: 12 },
    (_, level) => `l${level + 1}: &l${level + 1} [${Array(10).fill(`*l${level}`).join(', ')}]`,
  );
  expect(parseYaml(['l0: &l0 [x]', ...levels].join('\n'))).toMatchObject({
    kind: 'broken',
    flaws: [{ message: 'holds more than 100000 values' }],
  });
  expect(parseYaml('a: &a [*a]').kind).toBe('broken');
});

test('of two anchors with one name the latest counts', () => {
  expect(
    plain(rootOf(parseYaml('x: &b false\ny: &b true\nblock: *b\nin: [&c 1, *c]\nagain: &c 2\nlast: *c'))),
  ).toMatchObject({ block: true, in: [1, 1], last: 2 });
});

test('a second YAML document is an error: its gates must not vanish', () => {
  expect(parseYaml('a: 1\n---\nb: 2\n').kind).toBe('broken');
});

test('an own __proto__ key stays data', () => {
  for (const root of [
    rootOf(parseJson('{"__proto__": {"x": 1}}')),
    rootOf(parseYaml('__proto__: {x: 1}')),
    rootOf(parseToml('[__proto__]\nx = 1')),
  ])
    expect(root).toMatchObject({ kind: 'map', entries: [{ key: '__proto__' }] });
  expect(({} as { x?: number }).x).toBeUndefined();
});

test('equal keys are told: a flaw in JSON, an error in YAML and TOML', () => {
  expect(parseJson('{"a": 1, "a": 2}')).toMatchObject({
    kind: 'parsed',
    flaws: [{ message: '"a" is given twice; only the last one counts' }],
  });
  expect(parseYaml('a: 1\na: 2').kind).toBe('broken');
  expect(parseToml('a = 1\na = 2').kind).toBe('broken');
});

test.each([
  [parseJson, '["a",]', 5],
  [parseJson, '{"a" 1}', 5],
  [parseYaml, 'a:\n\t- b', 3],
  [parseToml, 'a = ', 4],
])('a broken text says where (%#)', (parse, text, offset) => {
  const parsed = parse(text);
  expect(parsed.kind).toBe('broken');
  expect(Math.abs(parsed.flaws[0]!.span.start - offset)).toBeLessThanOrEqual(1);
});

function rootOf(parsed: ReturnType<ParseConfig>): Located {
  if (parsed.kind === 'broken' || !parsed.root) throw new Error(JSON.stringify(parsed));
  return parsed.root;
}

function plain(node: Located): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
}

test('a file full of keys or tables is read or refused in linear time, not with each compared to each other', () => {
  const lines = (line: (index: number) => string): string =>
    Array.from({ length: 60_000 }, (_, index) => line(index)).join('');
  expect(parseYaml(lines(index => `key${index}: 1\n`)).kind).toBe('parsed');
  expect(parseYaml(`{${lines(index => `key${index}: 1, `)}}`).kind).toBe('parsed');
  expect(parseToml(lines(index => `[table${index}]\n`))).toMatchObject({
    flaws: [{ message: 'holds more than 5000 tables' }],
  });
  expect(parseToml(`a = {${lines(index => `b${index}.c = 1, `)}z = 1}`).kind).toMatch(/parsed|broken/);
  expect(parseYaml(`a: &a x\nb: [${'*a,'.repeat(40_000)}]`).kind).toBe('parsed');
});
