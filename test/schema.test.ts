import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resultSchema } from '../scripts/schema/result.ts';
import { asFile, type Json, schemas } from '../scripts/schema/schemas.ts';
import { describedEvent } from '../src/app/event-fields.ts';
import { readTestFile } from '../src/app/test-file.ts';
import { parseJson } from '../src/config/json.ts';
import type { Located } from '../src/config/located.ts';
import { parseToml } from '../src/config/toml.ts';
import { parseYaml } from '../src/config/yaml.ts';
import { dialects, native } from '../src/dialects/index.ts';
import { eventsSpelled } from '../src/dialects/wires.ts';
import { eventNames, type Location, toEvent } from '../src/model/index.ts';
import { badFiles, goodFiles } from './fixtures/native-files.ts';
import { bundleInto, createWorld, root, temporaryFolder } from './program.ts';

const ajv = new Ajv2020({
  ...{ allErrors: true, strict: true, allowUnionTypes: true, strictTypes: false },
  // Names of fields are properties for editors, and every way to write them is a pattern.
  allowMatchingProperties: true,
});
for (const schema of Object.values(schemas)) ajv.addSchema(schema);

/** What is wrong with a value, as `path message`; empty if nothing is. */
function flawsOf(schema: string, value: unknown): string[] {
  const validate = ajv.getSchema(schema.startsWith('urn:') ? schema : `urn:hookloop:schema:${schema}`)!;
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('the schema files', () => {
  const folder = join(root, 'schema');

  test('are those that npm run schema writes', () => {
    expect(readdirSync(folder).sort()).toEqual(Object.keys(schemas).sort());
    for (const [name, schema] of Object.entries(schemas))
      expect(readFileSync(join(folder, name), 'utf8'), `${name}: run npm run schema`).toBe(asFile(schema));
  });

  test.each(Object.keys(schemas))('%s says what it is for', name => {
    const { title, description } = schemas[name]!;
    expect([typeof title, typeof description]).toEqual(['string', 'string']);
  });
});

interface Sample {
  schema: string;
  where: string;
  text: string;
  /** Whether the dialect reads the file without errors. */
  good: boolean;
}

const schemaOf = {
  native: 'native',
  sauna: 'sauna',
  iteratr: 'iteratr',
  nyzhi: 'nyzhi',
  claude: 'claude',
  pipelines: 'pipelines-hooks',
};
const baseFolder: Record<Location['base'], string> = {
  root: 'project',
  repo: 'project',
  home: 'home',
  config: 'home/.config',
  plugin: 'plugin',
};

const samples = dialects.flatMap(({ name, locations }): Sample[] => {
  if (name === 'babysitter') return [];
  const fixtures = join(root, 'src/dialects', name, 'fixtures');
  return readdirSync(fixtures).flatMap(fixture =>
    locations.flatMap(({ base, path, onlyIf }): Sample[] => {
      const file = join(fixtures, fixture, baseFolder[base], path);
      if (!existsSync(file)) return [];
      const text = readFileSync(file, 'utf8');
      if (onlyIf !== undefined && !text.includes(onlyIf)) return [];
      const { problems } = JSON.parse(readFileSync(join(fixtures, fixture, 'expected.json'), 'utf8'));
      const bad = problems.some(
        (problem: { severity: string; at: { file: string } }) =>
          problem.severity === 'error' && file.endsWith(problem.at.file.replace('<case>/', '')),
      );
      return [{ schema: schemaOf[name], where: `${name}/${fixture} ${path}`, text, good: !bad }];
    }),
  );
});

/** undefined for a file that holds nothing. */
function contentOf(file: string, text: string): unknown {
  const parse = file.endsWith('.json') ? parseJson : file.endsWith('.toml') ? parseToml : parseYaml;
  const parsed = parse(text);
  if (parsed.kind === 'broken') throw new Error(`${file}: ${parsed.flaws[0]!.message}`);
  return parsed.root && toPlain(parsed.root);
}

function toPlain(node: Located): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toPlain);
  // Entries, since an assignment to __proto__ would make no key.
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, toPlain(value)]));
}

/** Loaded, and still worth a word from an editor. */
const stricter: Readonly<Record<string, string>> = {
  'nyzhi/agent-not-a-table .nyzhi/config.toml': 'hooks stand in tables of agent, and here it is none',
};

describe('a file that loads without errors', () => {
  test.each(samples.filter(({ good, where }) => good && !Object.hasOwn(stricter, where)))(
    'is valid: $where',
    ({ schema, where, text }) => {
      const value = contentOf(where, text);
      if (value !== undefined) expect(flawsOf(schema, value)).toEqual([]);
    },
  );

  test('is in the fixtures of every schema', () =>
    expect([...new Set(samples.filter(({ good }) => good).map(({ schema }) => schema))].sort()).toEqual(
      Object.values(schemaOf).sort(),
    ));
});

test.each([[], ',', [' , '], '', ' '])('a native matcher that names nothing is not valid: %j', tool => {
  const withTool = (value: unknown) => ({ hooks: { 'tool.calling': [{ type: 'shell', command: 'x', tool: value }] } });
  expect(flawsOf('native', withTool(tool))).not.toEqual([]);
  expect(flawsOf('native', withTool(['Bash', 'a, b']))).toEqual([]);
});

describe('a file with values of wrong types', () => {
  const wrong = samples.filter(({ where }) => where.includes('wrong-types'));
  test.each(wrong)('is not valid: $where', ({ schema, where, text }) =>
    expect(flawsOf(schema, contentOf(where, text))).not.toEqual([]),
  );
});

describe('an example', () => {
  const named = readdirSync(join(root, 'examples'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .flatMap(file => {
      const text = readFileSync(file, 'utf8');
      const schema = /\$schema(?:=|": ")(\S+?\.json)/.exec(text)?.[1];
      return schema === undefined ? [] : [{ file, text, path: resolve(dirname(file), schema) }];
    });

  test('of each YAML format names its schema', () =>
    expect([...new Set(named.map(({ path }) => basename(path)))].sort()).toEqual(
      expect.arrayContaining(['iteratr', 'native', 'pipeline', 'pipelines-hooks'].map(name => `${name}.schema.json`)),
    ));

  test.each(named)('is valid by the schema that it names: $file', ({ file, text, path }) => {
    const { $id } = JSON.parse(readFileSync(path, 'utf8'));
    expect(flawsOf($id, contentOf(file, text))).toEqual([]);
  });
});

describe('the schema of pipelines', () => {
  test.each([
    'stages:\n  - prompt: [a]\n',
    'termination:\n  type: never\n',
    'hooks:\n  on_error:\n    - type: shell\n',
    'stages: plan\n',
  ])('refuses %j', text => expect(flawsOf('pipeline', contentOf('pipeline.yaml', text))).not.toEqual([]));
});

describe('the schema of payloads', () => {
  const { properties, $defs } = schemas['payload.schema.json'] as Record<string, Record<string, Json>>;
  const names = [properties!, ...Object.values($defs!).map(event => (event['properties'] as Json) ?? {})];
  const keys = [...new Set(names.flatMap(Object.keys))];

  test.each(eventNames)('takes what %s takes, and nothing else', name => {
    for (const key of keys)
      for (const value of ['text', 7, ['a', 'b'], [1], {}, true, null]) {
        const good = toEvent(name, { [key]: value }, () => 'now').kind === 'event';
        const flaws = flawsOf(`urn:hookloop:schema:payload#/$defs/${name}`, { [key]: value });
        expect({ key, value, good: flaws.length === 0 }).toEqual({ key, value, good });
      }
  });
});

describe('the schema of test files', () => {
  const { properties, $defs } = schemas['payload.schema.json'] as Record<string, Record<string, Json>>;
  const names = [properties!, ...Object.values($defs!).map(event => (event['properties'] as Json) ?? {})];
  const keys = [...new Set([...names.flatMap(Object.keys), 'command', 'source', 'reason', 'Tool__Name', 'nothing'])];
  const fileWith = (part: Json): Json => ({ tests: [{ name: 'a', event: 'tool.calling', expect: 'block', ...part }] });
  const folder = temporaryFolder('test-schema');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const isRead = (text: string): boolean => {
    const path = join(folder, 'hookloop.test.yaml');
    writeFileSync(path, text);
    const places = { root: folder, repo: folder, cwd: folder, home: folder, config: folder };
    return readTestFile(path, places).problems.every(({ severity }) => severity === 'warning');
  };

  test.each([...eventNames, 'on-iteration-end', 'PreToolUse'])(
    'takes the fields that %s takes, and no others',
    event => {
      for (const key of keys)
        for (const value of ['text', 7, ['a', 'b'], [1], {}, true, null]) {
          const good = describedEvent(eventsSpelled(event)!, { [key]: value }).kind === 'event';
          const flaws = flawsOf('test', fileWith({ event, with: { [key]: value } }));
          expect({ key, value, good: flaws.length === 0 }).toEqual({ key, value, good });
        }
    },
  );

  test.each([
    fileWith({}),
    fileWith({ with: { tool: 'Bash', command: 'ls', input: { a: [1, { b: null }] } } }),
    fileWith({ with: { command: 'ls', input: 'text' } }),
    fileWith({ with: [] }),
    fileWith({ with: 'tool=Bash' }),
    fileWith({ event: 'tool.caling' }),
    fileWith({ event: 'PRETOOLUSE' }),
    fileWith({ event: 3 }),
    fileWith({ expect: 'pass' }),
    fileWith({ expect: 'judge', message: 'x', hooks: ['a', 'b'] }),
    fileWith({ hooks: [] }),
    fileWith({ hooks: 'a' }),
    fileWith({ hooks: [' '] }),
    fileWith({ message: 3 }),
    fileWith({ message: '' }),
    fileWith({ name: '' }),
    fileWith({ name: 3 }),
    fileWith({ wiht: {} }),
    { tests: [{ name: 'a', event: 'tool.calling' }] },
    { tests: [{ event: 'tool.calling', expect: 'block' }] },
    { tests: [{ name: 'a', expect: 'block' }] },
    { tests: ['a'] },
    { tests: [] },
    { tests: {} },
    { tests: null },
    { test: [] },
    { ...fileWith({}), more: 1 },
    {},
  ])('agrees with the reader on %j', value =>
    expect(flawsOf('test', value).length === 0).toBe(isRead(JSON.stringify(value))),
  );
});

describe('the schema of results', () => {
  const folder = temporaryFolder('schema');
  let program: string;
  beforeAll(async () => {
    program = (await bundleInto(join(folder, 'bin'))).program;
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(closed(resultSchema) as Json);

  test('describes every key of what dispatch prints', () => {
    const world = createWorld(folder, program);
    world.write('.sauna/hooks.json', '["echo no >&2; exit 3", "true"]');
    world.write('hookloop.yaml', nativeHooks);
    world.write('.a5c/hooks/Stop/ask.sh', '#!/bin/sh\necho \'{"decision":"block","reason":"not yet"}\'\n', 0o755);
    world.write('.a5c/hooks/Stop/no-shell.sh', '#!/no/such/shell\n', 0o755);
    const printed = ['task.completing', 'iteration.completed', 'turn.ending'].map(event => {
      const { stdout, stderr } = world.run(['dispatch', event]);
      expect(stderr).not.toBe('');
      return JSON.parse(stdout);
    });
    for (const result of printed) {
      validate(result);
      expect(validate.errors ?? []).toEqual([]);
    }
    const results = printed.flatMap(({ results: each }) => each);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['finished', 'skipped', 'detached']));
    const kinds = results.flatMap(({ outcome }) => (outcome ? [outcome.kind] : []));
    expect(new Set(kinds)).toEqual(new Set(['exited', 'killed', 'timed-out', 'not-started']));
    expect(printed.map(({ decision }) => decision.kind)).toEqual(['revise', 'proceed', 'block']);
  });

  test.each([
    { event: 'nothing.happened' },
    { decision: { kind: 'revise' } },
    { results: [{ status: 'finished', hook: 'a' }] },
    { feedback: null },
  ])('refuses %j', part => {
    const good = { event: 'turn.ended', decision: { kind: 'proceed' }, feedback: '', results: [] };
    expect([flawsOf('result', good), flawsOf('result', { ...good, ...part }).length > 0]).toEqual([[], true]);
  });
});

const nativeHooks = `hooks:
  iteration.completed:
    - { type: shell, command: "sleep 9", await: true, timeout: 0.2 }
    - { type: shell, command: "kill -9 $$", await: true }
    - { type: shell, command: "true", await: true, when: "ITERATION > 5" }
    - { type: shell, command: "true", await: false }
`;

/** The schema with no key beside those it names, so that none can be forgotten. */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed);
  const parts = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in parts ? { ...parts, additionalProperties: false } : parts;
}

describe("hookloop.yaml's reader and its schema agree that", () => {
  const isRead = (text: string): boolean => {
    const found = { kind: 'text', path: '/p/hookloop.yaml', file: 'hookloop.yaml', text } as const;
    const location = { scope: 'project', base: 'root', path: 'hookloop.yaml', holds: 'file' } as const;
    const places = { root: '/p', repo: '/p', cwd: '/p', home: '/h', config: '/h/.config' };
    return native.normalise([{ ...found, location }], places).problems.every(problem => problem.severity === 'warning');
  };
  const isValid = (text: string): boolean => {
    const parsed = parseYaml(text);
    return parsed.kind === 'parsed' && flawsOf('native', parsed.root ? toPlain(parsed.root) : {}).length === 0;
  };

  test.each(goodFiles)('this is right: %s', text => expect([isRead(text), isValid(text)]).toEqual([true, true]));

  test.each(badFiles)('this is wrong: %s', text => expect([isRead(text), isValid(text)]).toEqual([false, false]));
});
