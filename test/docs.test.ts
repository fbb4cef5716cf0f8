import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fieldDocs } from '../src/model/event-docs.ts';
import { type EventName, fieldRules } from '../src/model/index.ts';
import { createInstalled, installLibrary } from './installed.ts';
import { type Ran, root } from './program.ts';
import { asExpected } from './scenarios/scenario.ts';

const installed = createInstalled('docs');
const { folder: temporary } = installed;
const pages = findPages();

beforeAll(async () => {
  await installed.install();
  await installLibrary(installed);
}, 60_000);
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/**
 * A `console` block is run: lines after `$ ` are commands (`> ` goes on with the one before), the others are what they
 * print. `...` alone is any number of lines, inside a line any text. A command whose exit code is not shown by
 * `echo $?` succeeds. The block runs in a copy of the folder named after `console`; without one in a copy of the page's
 * own example, else in an empty project. Blocks of a page in the same folder share one copy and one shell.
 */
describe('what the console blocks show is what happens', () => {
  for (const page of pages)
    for (const [folder, steps] of consoleSteps(page))
      test(`${page}${folder === '' || page.startsWith(folder) ? '' : ` in ${folder}`}`, () => {
        const printed = runSteps(steps, folder);
        for (const [index, { command, expected }] of steps.entries()) {
          const { text, exit } = printed[index] ?? { text: 'the shell ended before', exit: -1 };
          expect(asExpected(text, expected), command).toBe(expected);
          if (!steps[index + 1]?.command.includes('$?')) expect(exit, `exit code of ${command}`).toBe(0);
        }
      });
});

/** What only GNU has of the tools, or another system has in another way. */
const gnuOnly = [
  /\bsed (-\w+ )*-\w*i|\bsed .*--in-place/,
  /\b(grep|egrep) (-\w+ )*-\w*P/,
  /\bdate (-\w*[dI]|--|\S*%N)/,
  /\b(readlink|cp|mv|rm|ls|sort|head|tail|wc|cut|tr|mktemp|touch|mkdir|find|tar|xargs|stat) (-\w+ )*--\w/,
  /\breadlink -\w*[fem]|\brealpath\b|\bmktemp -\w*p|\bstat -\w*c|\bcp -\w*t|\bfind\b.* -printf/,
  /\bxargs (-\w+ )*-\w*[rd]\b|\bsort (-\w+ )*-\w*V|\bbase64 -\w*w|\becho -\w*e/,
  /\b(timeout (-\S+ )*\d|(sha|md5)\d*sum\b|tac\b|shuf\b|nproc\b|setsid\b)/,
];
const gnuIn = (text: string): string[] => text.split('\n').filter(line => gnuOnly.some(one => one.test(line)));

describe('the commands that are shown run on every POSIX system', () => {
  test.each(pages)('%s', page =>
    expect([...consoleSteps(page).values()].flat().flatMap(({ command }) => gnuIn(command))).toEqual([]),
  );

  test('and those in the files of the examples', () => {
    const files = readdirSync(join(root, 'examples'), { recursive: true, withFileTypes: true }).filter(entry =>
      entry.isFile(),
    );
    const found = files.flatMap(({ parentPath, name }) =>
      gnuIn(readFileSync(join(parentPath, name), 'utf8')).map(line => `${name}: ${line}`),
    );
    expect(found).toEqual([]);
  });

  test.each([
    ["sed -i 's/a/b/' x", "sed -n 's/a/b/p' x; rm -i x"],
    ['timeout 5 make', 'timeout = 60'],
    ['grep -qP "a+" x', 'grep -q "a*" x'],
    ['date -d yesterday', 'date -u'],
    ['ls | xargs -r rm', 'ls | xargs rm -r'],
    ['sha256sum x', 'cksum x'],
  ])('%s is found, %s is not', (bad, good) => expect(gnuIn(`${bad}\n${good}`)).toEqual([bad]));
});

describe('hook files in the docs have no problems', () => {
  for (const page of pages)
    for (const { language, path, text } of fileBlocks(page))
      test(`${page}: ${path} (${language})`, () => {
        const project = createProject('');
        mkdirSync(dirname(join(project, path)), { recursive: true });
        writeFileSync(join(project, path), text);
        for (const name of childrenIn(text)) writeChild(project, name);
        for (const script of scriptsIn(text)) writeScript(project, script);
        const { stdout, stderr } = runShell('git init -q && hookloop check', project);
        expect(stdout).toBe('');
        expect(stderr).toMatch(/^no problems in 1 hook file/);
      });
});

/** The pipelines that spawn hooks name; pages do not show them. */
const childrenIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:pipeline|spawn): ([\w-]+)/g)].map(([, name]) => name!);

function writeChild(project: string, name: string): void {
  mkdirSync(join(project, 'loops'), { recursive: true });
  writeFileSync(join(project, 'loops', `${name}.yaml`), 'prompt: Do it.\n');
}

/** The scripts that commands name; pages do not show them either. */
const scriptsIn = (text: string): string[] => [...text.matchAll(/[\w./-]+\.(?:sh|m?js|py)\b/g)].map(([name]) => name);

function writeScript(project: string, name: string): void {
  const path = join(project, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 });
}

describe('every link leads somewhere', () => {
  test.each(pages)('%s', page => {
    expect(linksOf(page).filter(link => !leadsSomewhere(link, page))).toEqual([]);
  });
});

describe('docs/events.md', () => {
  const cells = (names: readonly string[]): string => names.map(name => `\`${name}\``).join(' ');
  const shared = Object.keys(fieldRules).filter(name => fieldRules[name as 'session'].in === undefined);

  test('has a row for each event as `hookloop events --json` tells it', () => {
    const rows = JSON.parse(runShell('hookloop events --json', createProject('')).stdout) as EventRow[];
    const wanted = rows.map(({ event, pending, spellings, fields }) => {
      const own = fields.map(({ name }) => name).filter(name => !shared.includes(name));
      const dialects = ['iteratr', 'nyzhi', 'babysitter', 'claude', 'pipelines'].map(name => cells(spellings[name]!));
      return tableRow([`\`${event}\``, pending ? 'yes' : '', ...dialects, cells(own)]);
    });
    expect(tableRows('docs/events.md', 'event')).toEqual(wanted);
  });

  test('has a row for each field with every name it is accepted under', () => {
    const wanted = Object.entries(fieldRules).map(([name, rule]) =>
      tableRow([
        `\`${name}\``,
        rule.type,
        cells(rule.also.map(also => also.split('@')[0]!)),
        rule.in === undefined ? 'every event' : cells(rule.in.map(where => where.replace(/\.$/, '.*'))),
        fieldDocs[name as 'session'],
      ]),
    );
    expect(tableRows('docs/events.md', 'field')).toEqual(wanted);
  });
});

test('docs/commands.md has a section for every command', () => {
  const names = [...runShell('hookloop --help', createProject('')).stdout.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(
    ([, name]) => name!,
  );
  const headings = [...read('docs/commands.md').matchAll(/^## (.+)$/gm)].flatMap(([, title]) => title!.split(/[ ,]+/));
  expect(names).toContain('dispatch');
  expect(names.filter(name => !headings.includes(name))).toEqual([]);
});

const sources = ['src', 'test', 'scripts'].flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(path => `${folder}/${path}`),
);

/** A file without its folder is one of that name. Words in capitals stand for a name. */
test.each(pages.filter(isAboutSource))('%s names source files that are there', page => {
  const named = [...read(page).matchAll(/`((?:[a-z][a-z0-9-]*\/)*[a-z0-9.-]+\.ts)`/g)].map(([, path]) => path!);
  const isThere = (path: string): boolean =>
    path.includes('/')
      ? sources.includes(path) || sources.includes(`src/${path}`)
      : sources.some(each => each.endsWith(`/${path}`));
  expect(named.filter(path => !isThere(path))).toEqual([]);
  if (page === 'docs/architecture.md') expect(named.length).toBeGreaterThan(50);
});

/** What is superseded tells of what was. */
function isAboutSource(page: string): boolean {
  if (/^docs\/decisions\//.test(page)) return !read(page).includes('**Superseded.**');
  return ['AGENTS.md', 'CONTRIBUTING.md', 'docs/architecture.md'].includes(page) || page.startsWith('docs/add-');
}

test('decision 4 has a line for every dependency, and none for what is gone', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  const versions = Object.entries({ ...dependencies, ...devDependencies }).map(([name, range]) => [
    name,
    range.slice(1),
  ]);
  const lines = [...read('docs/decisions/0004-dependencies.md').matchAll(/^\| (\S+) +\| ([\d.]+) /gm)];
  expect(lines.map(([, name, version]) => [name, version]).sort()).toEqual(versions.sort());
});

describe('AGENTS.md', () => {
  const text = read('AGENTS.md');

  test('is short, and CLAUDE.md is the same file', () => {
    expect(text.split('\n').length).toBeLessThan(120);
    expect(realpathSync(join(root, 'CLAUDE.md'))).toBe(realpathSync(join(root, 'AGENTS.md')));
  });

  test.each(['src', 'test', 'scripts'])('has a line for every folder of %s', folder => {
    const folders = readdirSync(join(root, folder), { withFileTypes: true }).filter(entry => entry.isDirectory());
    const wanted = folders.length === 0 ? [`${folder}/`] : folders.map(({ name }) => `${folder}/${name}/`);
    expect(wanted.filter(path => !text.includes(`\n| \`${path}\` `))).toEqual([]);
  });
});

test('every decision has its own number', () => {
  const numbers = readdirSync(join(root, 'docs/decisions')).map(name => name.slice(0, 4));
  expect(numbers.sort()).toEqual(numbers.map((_, index) => String(index + 1).padStart(4, '0')));
});

interface EventRow {
  event: EventName;
  pending: boolean;
  spellings: Readonly<Record<string, readonly string[]>>;
  fields: readonly { name: string }[];
}

interface Step {
  command: string;
  expected: string;
}

function findPages(): string[] {
  const top = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.md'))
    .map(path => `docs/${path}`);
  const folders = readdirSync(join(root, 'examples')).filter(name => !name.startsWith('.'));
  const examples = folders.map(name => `examples/${name}/README.md`);
  return [...top, ...docs.sort(), ...examples];
}

function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

function blocksOf(page: string): { language: string; about: string; text: string }[] {
  return [...read(page).matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(([, language, about, text]) => ({
    language: language!,
    about: about ?? '',
    text: text!,
  }));
}

/** Fences like ```` ```yaml hookloop.yaml ```` name the file that they show. */
const fileBlocks = (page: string): { language: string; path: string; text: string }[] =>
  blocksOf(page).flatMap(({ language, about, text }) =>
    about === '' || language === 'console' ? [] : [{ language, path: about, text }],
  );

/** The commands of a page, by the folder they run in. */
function consoleSteps(page: string): Map<string, Step[]> {
  const folders = new Map<string, Step[]>();
  for (const { language, about, text } of blocksOf(page)) {
    if (language !== 'console') continue;
    const folder = about || (/^examples\/[^/]+/.exec(page)?.[0] ?? '');
    const steps = text.split(/^\$ /m).slice(1).map(toStep);
    folders.set(folder, [...(folders.get(folder) ?? []), ...steps]);
  }
  return folders;
}

function toStep(text: string): Step {
  const [, command = '', printed = ''] = /^(.*\n(?:> .*\n)*)([\s\S]*)$/.exec(text.replace(/\n*$/, '\n')) ?? [];
  const expected = printed
    .trimEnd()
    .split('\n')
    .map(line => (line === '...' ? line : line.replaceAll('...', '[..]')));
  return { command: command.trimEnd().replaceAll('\n> ', '\n'), expected: expected.join('\n') };
}

const mark = '-- end of a step --';

/** All commands in one shell, so that variables and `$?` are what they are in a terminal. */
function runSteps(steps: readonly Step[], folder: string): { text: string; exit: number }[] {
  const script = steps.map(({ command }) => `${command}\ncode=$?; echo "${mark}$code"; (exit $code)\n`).join('');
  const { stdout } = runShell(`exec 2>&1\n${script}`, createProject(folder));
  return stdout.split(new RegExp(`(?<=${mark}\\d+)\n`)).flatMap(part => {
    const [, text, exit] = new RegExp(`^(.*?)${mark}(\\d+)$`, 's').exec(part) ?? [];
    return text === undefined ? [] : [{ text, exit: Number(exit) }];
  });
}

function createProject(folder: string): string {
  const project = join(mkdtempSync(join(temporary, 'world-')), 'project');
  if (folder === '') mkdirSync(project);
  else cpSync(join(root, folder), project, { recursive: true });
  mkdirSync(join(project, '.git'));
  mkdirSync(join(dirname(project), 'home'));
  return project;
}

function runShell(script: string, cwd: string): Ran {
  return installed.runShell(script, { cwd, home: join(dirname(cwd), 'home') });
}

const tableRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`.replaceAll(/ {2,}/g, ' ');

/** The rows of the table whose first heading is this. */
function tableRows(page: string, heading: string): string[] {
  const lines = read(page).replaceAll(/ {2,}/g, ' ').split('\n');
  const start = lines.findIndex(line => line.startsWith(`| ${heading} |`)) + 2;
  const length = lines.slice(start).findIndex(line => !line.startsWith('|'));
  return lines.slice(start, start + length);
}

const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '');

const linksOf = (page: string): string[] =>
  [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter(link => !/^https?:/.test(link));

function leadsSomewhere(link: string, page: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? join(root, page) : resolve(root, dirname(page), path);
  if (!existsSync(file)) return false;
  if (anchor === undefined) return true;
  const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title]) => slug(title!));
  return headings.includes(anchor);
}

const slug = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
