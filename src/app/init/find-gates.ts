import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../model/json.ts';
import { readRegularFile } from '../../platform/files.ts';

/** What a gate is about; a project mostly needs one of each. */
type GateKind = 'tests' | 'lint' | 'types' | 'format';

/** A command of the project that says whether work is good. */
export interface FoundGate {
  kind: GateKind;
  command: string;
  /** The file that says so. */
  from: string;
}

export interface FoundGates {
  gates: readonly FoundGate[];
  /** What was found and is no gate, or could not be read; a sentence each. */
  remarks: readonly string[];
}

/** Files that make a folder a project of its own. */
export const manifests = ['package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'Makefile'] as const;

/** Looks at the files of one folder, not below it. Commands come only from what the project has set up. */
export function findGates(folder: string): FoundGates {
  const remarks: string[] = [];
  const project: Project = {
    has: name => existsSync(join(folder, name)),
    text(name) {
      const read = readRegularFile(join(folder, name), maxBytes);
      if (read.kind === 'unreadable') remarks.push(`${name} ${read.reason}`);
      return read.kind === 'bytes' ? read.bytes.toString() : undefined;
    },
    remark: text => void remarks.push(text),
  };
  const gates = [nodeGates, pythonGates, rustGates, goGates].flatMap(look => look(project));
  const known = new Set(gates.map(({ kind }) => kind));
  // What make runs is mostly what was found already.
  const made = makeGates(project).filter(({ kind }) => !known.has(kind));
  return { gates: [...gates, ...made].toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind)), remarks };
}

const kinds: readonly GateKind[] = ['tests', 'types', 'lint', 'format'];
const maxBytes = 1024 * 1024;

interface Project {
  has(name: string): boolean;
  /** Undefined where there is no such file, or it cannot be read. */
  text(name: string): string | undefined;
  remark(text: string): void;
}

/** Scripts of package.json, the usual name of each first. */
const scriptNames: Readonly<Record<GateKind, readonly string[]>> = {
  tests: ['test'],
  types: ['typecheck', 'type-check', 'check-types', 'check:types', 'types', 'tsc'],
  lint: ['lint'],
  format: ['format:check', 'check:format', 'fmt:check', 'prettier:check'],
};

function nodeGates(project: Project): FoundGate[] {
  const from = 'package.json';
  const text = project.text(from);
  if (text === undefined) return [];
  const manifest = parsed(text);
  if (manifest === undefined) {
    project.remark(`${from} is not a JSON object, so its scripts are not known`);
    return [];
  }
  const scripts = isObject(manifest['scripts']) ? manifest['scripts'] : {};
  const run = runnerOf(manifest, project);
  return kinds.flatMap(kind => {
    const name = scriptNames[kind].find(one => isUsable(one, scripts, project));
    return name === undefined ? [] : [{ kind, command: run(name), from }];
  });
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return isObject(value) ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function isUsable(name: string, scripts: object, { remark }: Project): boolean {
  const script: unknown = Object.hasOwn(scripts, name) ? Reflect.get(scripts, name) : undefined;
  if (typeof script !== 'string' || script.trim() === '' || script.includes('no test specified')) return false;
  const watches = /\s--?watch(?:All)?(?![\w=-])/.test(script);
  if (watches) remark(`script "${name}" of package.json watches files and never ends, so it cannot be a gate`);
  return !watches;
}

/** How each package manager runs a script. `bun test` is no script but a program of its own. */
const runners: Readonly<Record<string, (script: string) => string>> = {
  npm: script => (script === 'test' ? 'npm test' : `npm run ${script}`),
  pnpm: script => (script === 'test' ? 'pnpm test' : `pnpm run ${script}`),
  yarn: script => (script === 'test' ? 'yarn test' : `yarn run ${script}`),
  bun: script => `bun run ${script}`,
};

const lockfiles: readonly (readonly [file: string, runner: string])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

function runnerOf({ packageManager }: Readonly<Record<string, unknown>>, { has }: Project): (script: string) => string {
  const named = typeof packageManager === 'string' ? packageManager.split('@')[0]! : '';
  const locked = lockfiles.find(([file]) => has(file))?.[1] ?? 'npm';
  return runners[Object.hasOwn(runners, named) ? named : locked]!;
}

const environments: readonly (readonly [file: string, prefix: string])[] = [
  ['uv.lock', 'uv run '],
  ['poetry.lock', 'poetry run '],
  ['pdm.lock', 'pdm run '],
  ['Pipfile.lock', 'pipenv run '],
];

/** Tools of Python, and where each is set up: a table of pyproject.toml or setup.cfg, or a file of its own. */
const pythonTools: readonly { kind: GateKind; tool: string; args: string; table: RegExp; files: readonly string[] }[] =
  [
    {
      ...{ kind: 'tests', tool: 'pytest', args: '', table: /^\[tool[.:]pytest\b/m },
      files: ['pytest.ini', '.pytest.ini', 'conftest.py'],
    },
    {
      ...{ kind: 'types', tool: 'mypy', args: ' .', table: /^\[(?:tool\.)?mypy\b/m },
      files: ['mypy.ini', '.mypy.ini'],
    },
    {
      ...{ kind: 'lint', tool: 'ruff', args: ' check', table: /^\[tool\.ruff\b/m },
      files: ['ruff.toml', '.ruff.toml'],
    },
  ];

const pythonSettings = ['pyproject.toml', 'setup.cfg', 'requirements-dev.txt', 'requirements.txt'];

/** A tool that a project depends on is one it uses: `"pytest>=8"`, `pytest = "^8"`, `pytest==8` in a line of its own. */
const dependsOn = (tool: string, text: string): boolean =>
  new RegExp(`["']${tool}(?:["'\\[<>=~! ]|$)|^[ \\t]*${tool}[ \\t]*(?:[\\[<>=~!].*)?$`, 'm').test(text);

function pythonGates(project: Project): FoundGate[] {
  const settings = pythonSettings.map(file => ({ file, text: project.text(file) ?? '' }));
  const prefix = environments.find(([file]) => project.has(file))?.[1] ?? '';
  const gates = pythonTools.flatMap(({ kind, tool, args, table, files }): FoundGate[] => {
    const from =
      files.find(project.has) ?? settings.find(({ text }) => table.test(text) || dependsOn(tool, text))?.file;
    return gatesIf(from, kind, prefix + tool + args);
  });
  const isTox = project.has('tox.ini') || settings.some(({ text }) => /^\[tool[.:]tox\b/m.test(text));
  if (!isTox || gates.some(({ kind }) => kind === 'tests')) return gates;
  return [
    { kind: 'tests', command: `${prefix}tox`, from: project.has('tox.ini') ? 'tox.ini' : 'pyproject.toml' },
    ...gates,
  ];
}

function rustGates({ has }: Project): FoundGate[] {
  const from = 'Cargo.toml';
  if (!has(from)) return [];
  return [
    { kind: 'tests', command: 'cargo test', from },
    ...gatesIf(['clippy.toml', '.clippy.toml'].find(has), 'lint', 'cargo clippy -- -D warnings'),
    ...gatesIf(['rustfmt.toml', '.rustfmt.toml'].find(has), 'format', 'cargo fmt --check'),
  ];
}

function goGates({ has }: Project): FoundGate[] {
  const from = 'go.mod';
  if (!has(from)) return [];
  const linter = ['.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json'].find(has);
  return [
    { kind: 'tests', command: 'go test ./...', from },
    ...(linter === undefined ? gatesIf(from, 'lint', 'go vet ./...') : gatesIf(linter, 'lint', 'golangci-lint run')),
  ];
}

const targets: readonly (readonly [target: string, kind: GateKind])[] = [
  ['test', 'tests'],
  ['check', 'tests'],
  ['typecheck', 'types'],
  ['lint', 'lint'],
];

function makeGates({ has, text }: Project): FoundGate[] {
  const from = ['GNUmakefile', 'makefile', 'Makefile'].find(has);
  const rules = from === undefined ? '' : (text(from) ?? '');
  const found = targets.filter(([target]) => new RegExp(`^${target}[ \\t]*:(?![:=])`, 'm').test(rules));
  return found
    .filter(([, kind], at) => found.findIndex(other => other[1] === kind) === at)
    .map(([target, kind]) => ({ kind, command: `make ${target}`, from: from! }));
}

const gatesIf = (from: string | undefined, kind: GateKind, command: string): FoundGate[] =>
  from === undefined ? [] : [{ kind, command, from }];
