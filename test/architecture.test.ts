import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { dialects } from '../src/dialects/index.ts';
import { wires } from '../src/dialects/wires.ts';
import { dialectNames } from '../src/model/index.ts';
import { bundleInto, root } from './program.ts';

/** The parts of the house, lowest first: each imports only from parts above it in this list, and of those only the ones it names. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  model: [],
  platform: [],
  config: ['model'],
  shell: [],
  dialects: ['config', 'model', 'shell'],
  hooks: ['config', 'dialects', 'model', 'platform', 'shell'],
  actions: ['config', 'hooks', 'model', 'platform'],
  engine: ['model', 'platform', 'shell'],
  session: ['hooks', 'model', 'platform'],
  workspace: ['actions', 'model', 'platform'],
  protect: ['config', 'engine', 'model', 'platform', 'workspace'],
  agents: ['actions', 'config', 'hooks', 'model', 'platform', 'shell', 'workspace'],
  people: ['actions', 'config', 'model', 'platform', 'session'],
  hosts: ['actions', 'agents', 'config', 'hooks', 'model', 'platform', 'shell', 'workspace'],
  loop: [
    ...['actions', 'agents', 'config', 'dialects', 'engine', 'hooks', 'hosts', 'model', 'platform', 'session'],
    ...['protect', 'workspace'],
  ],
  app: [
    'actions',
    'agents',
    'config',
    'dialects',
    'engine',
    'hooks',
    'hosts',
    'loop',
    'model',
    'people',
    'platform',
    'protect',
    'session',
    'workspace',
  ],
  serve: ['app', 'model', 'people', 'platform'],
  cli: ['app', 'model', 'platform', 'serve'],
  index: ['app', 'model'],
  bin: ['app', 'cli', 'model', 'platform'],
};

/** Dialects do not know each other, but for these. */
const acrossDialects: Readonly<Record<string, string>> = {
  'dialects/babysitter/wire.ts -> dialects/claude/wire.ts':
    'its plugin scripts stand in for Claude hooks and read the same payload',
  'dialects/native/json-hooks.ts -> dialects/babysitter/wire.ts':
    'a native hook with `answers: json` may be a script that was written for babysitter',
  'dialects/native/json-hooks.ts -> dialects/claude/wire.ts': 'or for Claude Code',
  'dialects/native/wire.ts -> dialects/pipelines/wire.ts':
    'native files accept the spellings of agent-pipelines beside our names',
};

/** External packages and the only files that may import them. */
const packages: Readonly<Record<string, readonly string[]>> = {
  '@agentclientprotocol/sdk': ['agents/acp/protocol.ts'],
  '@hono/node-server': ['people/http/router.ts'],
  '@marcbachmann/cel-js': ['config/conditions/check-condition.ts', 'config/conditions/evaluate.ts'],
  '@modelcontextprotocol/client': ['actions/mcp/connect.ts'],
  '@modelcontextprotocol/server': ['serve/mcp/server.ts'],
  diff: ['agents/acp/tool-events.ts', 'cli/print/diff.ts'],
  hono: ['people/http/router.ts'],
  'jsonc-parser': ['config/json-values.ts', 'config/json.ts'],
  'log-update': ['cli/view/live/screen.ts'],
  'markdown-it': ['people/page/markdown.ts'],
  'p-limit': ['actions/webhook/deliver.ts'],
  standardwebhooks: ['actions/webhook/request.ts'],
  'string-width': ['cli/print/graphemes.ts'],
  'toml-eslint-parser': ['config/toml.ts'],
  yaml: ['config/yaml.ts'],
};

/** Dependencies that only other packages import. */
const peers = ['zod'];

const maxLines = 350;
const source = join(root, 'src');
const allFiles = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
  .map(entry => ({
    file: join(entry.parentPath, entry.name).slice(source.length + 1),
    text: readFileSync(join(entry.parentPath, entry.name), 'utf8'),
  }));
const files = allFiles.filter(({ file }) => !file.endsWith('.test.ts') && !file.includes('/fixtures/'));
const imports = files.flatMap(({ file, text }) =>
  [...text.matchAll(/(\bimport\(|\bfrom |^import )'([^']+)'/gm)].map(([, , path]) => ({
    file,
    target: path!.startsWith('.') ? normalize(join(dirname(file), path!)) : path!,
    isOurs: path!.startsWith('.'),
  })),
);
const partOf = (file: string): string => file.split('/')[0]!.replace(/\.ts$/, '');
/** `@scope/name/sub/path` is part of `@scope/name`. */
const packageOf = (target: string): string =>
  target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
const dialectOf = (file: string): string | undefined => /^dialects\/([^/]+)\//.exec(file)?.[1];

describe('imports', () => {
  test('point only where the table allows', () => {
    const wrong = imports.filter(({ file, target, isOurs }) => {
      const [from, to] = [partOf(file), partOf(target)];
      return isOurs && from !== to && !mayImport[from]?.includes(to);
    });
    expect(wrong.map(({ file, target }) => `${file} -> ${target}`).sort()).toEqual([]);
  });

  test('of people by serve are those of the router and its pages alone', () => {
    const beyond = imports.filter(
      ({ file, target }) => partOf(file) === 'serve' && /^people\/(?!http\/|page\/)/.test(target),
    );
    expect(beyond).toEqual([]);
  });

  test('of the shell reader are what it is asked for: placeholders, texts, their commands and what they do to a repository', () => {
    const beyond = imports.filter(
      ({ file, target }) => partOf(file) !== 'shell' && /^shell\/(?!placeholder|texts|commands|git)/.test(target),
    );
    expect(beyond).toEqual([]);
  });

  test('the table names every part and nothing else', () =>
    expect(Object.keys(mayImport).sort()).toEqual([...new Set(files.map(({ file }) => partOf(file)))].sort()));

  test('lead from one part to another only downwards', () => {
    const order = Object.keys(mayImport);
    const up = order.flatMap(from =>
      mayImport[from]!.filter(to => order.indexOf(to) >= order.indexOf(from)).map(to => `${from} -> ${to}`),
    );
    expect(up).toEqual([]);
  });

  test('lead from no file back to itself, types included', () => {
    const targets = new Map(files.map(({ file }) => [file, new Set<string>()]));
    for (const { file, target, isOurs } of imports) if (isOurs) targets.get(file)!.add(target);
    // Whoever imports nothing that is left is in no circle.
    for (let isSmaller = true; isSmaller; ) {
      isSmaller = false;
      for (const [file, own] of targets)
        if ([...own].every(target => !targets.has(target))) isSmaller = targets.delete(file);
    }
    expect([...targets.keys()]).toEqual([]);
  });

  test('lead to files that exist', () => {
    const known = new Set(files.map(({ file }) => file));
    expect(imports.filter(({ isOurs, target }) => isOurs && !known.has(target))).toEqual([]);
  });

  test('of dialects do not reach into each other', () => {
    const crossing = imports.filter(({ file, target, isOurs }) => {
      const [from, to] = [dialectOf(file), dialectOf(target)];
      return isOurs && from && to && from !== to && to !== 'shared';
    });
    const named = crossing.map(({ file, target }) => `${file} -> ${target}`);
    expect(named.sort()).toEqual(Object.keys(acrossDialects).sort());
  });

  test('of packages stand where the table says', () => {
    const found: Record<string, string[]> = {};
    for (const { file, target, isOurs } of imports)
      if (!isOurs && !target.startsWith('node:')) {
        const name = packageOf(target);
        found[name] = [...new Set([...(found[name] ?? []), file])].sort();
      }
    expect(found).toEqual(packages);
  });

  test('name every dependency of package.json', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect([...Object.keys(packages), ...peers].sort()).toEqual(Object.keys(dependencies).sort());
  });

  test('of the model are none of Node', () =>
    expect(imports.filter(({ file, isOurs }) => partOf(file) === 'model' && !isOurs)).toEqual([]));
});

describe('a file', () => {
  test(`has at most ${maxLines} lines`, () => {
    const long = allFiles
      .filter(({ text }) => text.trimEnd().split('\n').length > maxLines)
      .map(({ file, text }) => `${file} (${text.trimEnd().split('\n').length})`);
    expect(long).toEqual([]);
  });

  test('has no default export and hands on no whole module', () =>
    expect(allFiles.filter(({ text }) => /^export (default|\*)/m.test(text)).map(({ file }) => file)).toEqual([]));
});

describe('a dialect', () => {
  const folders = readdirSync(join(source, 'dialects'), { withFileTypes: true })
    .filter(entry => entry.isDirectory() && entry.name !== 'shared')
    .map(entry => entry.name);

  test('is listed with both its halves, and its name is known', () => {
    expect(dialects.map(({ name }) => name).sort()).toEqual(folders.sort());
    expect(wires.map(({ name }) => name)).toEqual(dialects.map(({ name }) => name));
    expect([...dialectNames].sort()).toEqual(folders.sort());
  });

  test.each(folders)('%s has the same files as the others', name => {
    const present = readdirSync(join(source, 'dialects', name));
    for (const file of ['config.ts', 'wire.ts', `${name}.test.ts`, 'fixtures']) expect(present).toContain(file);
    expect(readdirSync(join(source, 'dialects', name, 'fixtures')).length).toBeGreaterThan(0);
  });

  test('is never asked for by name outside its folder', () => {
    const names = dialectNames.join('|');
    const asks = new RegExp(`[=!]==? *'(${names})'|'(${names})' *[=!]==?|\\bcase '(${names})'`, 'g');
    const asking = files.flatMap(({ file, text }) =>
      [...text.matchAll(asks)]
        .filter(([, a, b, c]) => dialectOf(file) !== (a ?? b ?? c))
        .map(([whole]) => `${file}: ${whole}`),
    );
    expect(asking).toEqual([]);
  });

  test('speaks to its hooks without Node, packages or the reading of files', async () => {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: ['src/dialects/wires.ts'],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      packages: 'external',
    });
    const inputs = Object.keys(metafile.inputs);
    expect(inputs.filter(input => !/^src\/(dialects|model)\//.test(input))).toEqual([]);
    const outside = Object.values(metafile.inputs).flatMap(input => input.imports.filter(({ external }) => external));
    expect(outside).toEqual([]);
  });
});

test('what starts for every event is small and holds no parser', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-architecture-'));
  try {
    const { metafile } = await bundleInto(folder);
    const hot = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint?.startsWith('src/bin/'));
    for (const { bytes } of hot) expect(bytes).toBeLessThan(96 * 1024);
    const inputs = hot.flatMap(output => Object.keys(output.inputs));
    expect(inputs).toContain('src/cli/commands/dispatch.ts');
    expect(inputs.filter(input => /node_modules|src\/config\/(json|toml|yaml|read)\.ts/.test(input))).toEqual([]);
    const required = hot.flatMap(output => output.imports.map(({ path }) => path));
    expect(required.filter(path => /^\.\/config-(?!conditions-evaluate)/.test(path))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
