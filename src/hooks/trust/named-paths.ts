import { resolve } from 'node:path';
import type { HookDefinition, Invocation, Places } from '../../model/index.ts';
import { pipelineFolders } from '../discovery/pipeline-files.ts';
import { readTexts, type ShellText, sourceOf } from './command-texts.ts';
import { allWords, countedWords, isPathLike, type OpenWord, openWords } from './counted-words.ts';
import { type Variables, variablesOf } from './expansions.ts';
import { hashFile } from './script-hash.ts';

export interface Named {
  /** Paths that the hook may run something from, whether there is a file or not. */
  paths: readonly string[];
  /** What runs and is not literal, and the paths that it may be. Where none is a file, it cannot be pinned. */
  open: readonly { shown: string; paths: readonly string[] }[];
}

/**
 * What a hook names: its program, and every word of its command that may be run as a file, also behind `=`, in
 * `sh -c '...'`, behind variables that the command sets, and as input of a shell. Words of programs that start nothing
 * (`cat`, `grep`) count only where the command runs something that it reads.
 */
export function namedPaths(hook: HookDefinition, places: Places): Named {
  const { action } = hook;
  if (action.kind === 'spawn') return { paths: pipelinePaths(action.pipeline, places), open: [] };
  if (action.kind !== 'shell') return { paths: [], open: [] };
  const cwd = action.cwd === 'root' ? places.root : places.cwd;
  const known = knownFolders(hook, places);
  const texts = readTexts(withMarks(scriptOf(action.run), known));
  const variables = variablesOf(texts);
  const open = texts.flatMap(text => openWords(text, variables));
  const bases = ['', ...enteredFolders(texts, variables)];
  const pathsOf = (words: readonly string[], ...from: readonly string[]): string[] =>
    bases
      .flatMap(base =>
        words.flatMap(partsOf).map(word => (base === '' || /^[/~]/.test(word) ? word : `${base}/${word}`)),
      )
      .map(word => withoutMarks(word, known))
      .flatMap(word => (/^\.{0,2}$/.test(word) || word.includes('\0') ? [] : from.map(folder => resolve(folder, word))))
      .filter(path => !systemFolders.test(path));
  const paths = new Set(pathsOf(wordsOf(texts, open, variables), cwd));
  const found = open.map(({ shown, values }) => ({
    shown: withoutMarks(shown, known),
    paths: pathsOf(values, cwd, places.root),
  }));
  for (const path of found.flatMap(({ paths }) => paths)) paths.add(path);
  const rest = paths.size > maxPaths ? [{ shown: `more than ${maxPaths} paths`, paths: [] }] : [];
  return { paths: [...paths].slice(0, maxPaths), open: [...found, ...rest] };
}

function wordsOf(texts: readonly ShellText[], open: readonly OpenWord[], variables: Variables): string[] {
  const isWide = open.some(word => word.isWide);
  const counted = texts.flatMap(text => [...countedWords(text, variables), ...looseWords(text.rest)]);
  const words = isWide ? [...counted, ...texts.flatMap(allWords)] : counted;
  return [...new Set([...words, ...programsInPath(texts, variables)])].filter(
    word => !/\s/.test(word) || word.includes('/'),
  );
}

/** A program that is started with arguments is what a shell would start with them. */
const scriptOf = (run: Invocation): string =>
  run.via === 'exec' ? [run.file, ...run.args].map(word => `'${word.replaceAll("'", "'\\''")}'`).join(' ') : run.script;

/** Folders that the command goes to, each by itself and after those before it. */
function enteredFolders(texts: readonly ShellText[], { expand }: Variables): string[] {
  const entered = texts.flatMap(text =>
    text.commands.flatMap(({ words: [first, second] }) =>
      second && /^(cd|pushd)$/.test(first?.text ?? '')
        ? second.text === undefined
          ? expand(sourceOf(text, second))
          : [second.text]
        : [],
    ),
  );
  const steps = entered.slice(0, maxFolders);
  const chained = steps.map((_step, at) => steps.slice(0, at + 1).join('/'));
  return [...new Set([...steps, ...chained])];
}

/** The files among them. */
export const namedScripts = (hooks: readonly HookDefinition[], places: Places): string[] =>
  hooks.flatMap(hook => namedPaths(hook, places).paths.filter(path => hashFile(path) !== null));

/**
 * What a command starts by its path, or hands to an interpreter: only words that are literal but for folders we know.
 * Where the command changes its folder, relative ones are left out, and so is what it asks for before (`[ -x a.sh ]`).
 */
export function startedPaths(hook: HookDefinition, places: Places): { path: string; isProgram: boolean }[] {
  const { action } = hook;
  if (action.kind !== 'shell') return [];
  const cwd = action.cwd === 'root' ? places.root : places.cwd;
  const known = knownFolders(hook, places);
  const texts = readTexts(withMarks(scriptOf(action.run), known));
  const moves = texts.some(({ commands }) =>
    commands.some(({ words: [first] }) => /^(cd|pushd)$/.test(first?.text ?? '')),
  );
  const asked = new Set(
    texts.flatMap(({ commands }) =>
      commands.flatMap(({ words }) =>
        /^(test|\[\[?)$/.test(words[0]?.text ?? '') ? words.map(({ text }) => text) : [],
      ),
    ),
  );
  const found = texts.flatMap(({ readings }) =>
    readings.flatMap(({ words, runs, scripts }) => [
      ...runs.map(({ at }) => ({ word: words[at]?.text, isProgram: true })),
      ...scripts.map(at => ({ word: words[at]?.text, isProgram: false })),
    ]),
  );
  return found.flatMap(({ word, isProgram }) => {
    if (word === undefined || asked.has(word) || (isProgram && !word.includes('/'))) return [];
    if (word.includes('\0') || (moves && !word.startsWith('/'))) return [];
    return [{ path: resolve(cwd, withoutMarks(word, known)), isProgram }];
  });
}

const maxFolders = 5;

/** `PATH=tools:$PATH` makes every program one of that folder. */
function programsInPath(texts: readonly ShellText[], { expand }: Variables): string[] {
  const folders = texts.flatMap(text =>
    text.commands.flatMap(({ assignments }) =>
      assignments
        .filter(({ name }) => name === 'PATH')
        .flatMap(({ value }) => sourceOf(text, value).split(':'))
        .filter(folder => !/^\$\{?PATH\b/.test(folder))
        .flatMap(expand),
    ),
  );
  if (folders.length === 0) return [];
  const programs = texts.flatMap(({ readings }) =>
    readings.flatMap(({ runs, words }) => runs.map(({ at }) => words[at]?.text ?? '')),
  );
  return [...new Set(folders)].flatMap(folder =>
    programs.filter(program => /^[^/]+$/.test(program)).map(program => `${folder}/${program}`),
  );
}

const maxPaths = 200;

/** What lies there is the system's: an update of it is no change of the project. */
const systemFolders = /^\/(usr|bin|sbin|lib\d*|opt|etc|nix|snap|dev|proc|sys|System|Library|Applications)(\/|$)/;

type Folders = readonly (readonly [expression: string, folder: string])[];

/** Expressions that stand for a folder we know. */
function knownFolders({ settings }: HookDefinition, { root, repo, home, plugin }: Places): Folders {
  const pluginRoot = typeof settings?.['pluginRoot'] === 'string' ? settings['pluginRoot'] : plugin;
  return [
    [variable('(?:CLAUDE|GEMINI|QWEN|CURSOR)_PROJECT_DIR|PWD'), root],
    ['\\$\\((?:git rev-parse --show-toplevel|pwd)\\)|`(?:git rev-parse --show-toplevel|pwd)`', root],
    [variable('REPO_ROOT'), repo],
    [`${variable('HOME')}|(?<=^|[\\s=:'"])~(?=/)`, home],
    ...(pluginRoot === undefined ? [] : [[variable('CLAUDE_PLUGIN_ROOT'), pluginRoot] as const]),
  ];
}

const variable = (names: string): string => `\\$(?:(?:${names})\\b|\\{(?:${names})(?::?[-?][^{}]*)?\\})`;

/** A folder may have any name; the shell reads a plain word in its place. */
const withMarks = (script: string, folders: Folders): string =>
  folders.reduce(
    (text, [expression], at) => text.replaceAll(new RegExp(expression, 'g'), `/.hookloop-folder-${at}`),
    script,
  );

const withoutMarks = (word: string, folders: Folders): string =>
  word.replaceAll(/\/\.hookloop-folder-(\d)/g, (whole, at: string) => folders[Number(at)]?.[1] ?? whole);

const looseWords = (text: string): string[] => text.split(/[\s;&|()<>'"`]+/).filter(isPathLike);

/** `--config=tools/check.js` names a file as well. */
const partsOf = (word: string): string[] => {
  const at = word.indexOf('=');
  return at === -1 ? [word] : [word, word.slice(at + 1)];
};

function pipelinePaths(name: string, { root }: Places): string[] {
  const bases = ['.', ...pipelineFolders].map(folder => resolve(root, folder, name));
  return bases.flatMap(base =>
    ['', '.yaml', '.yml', '/pipeline.yaml', '/loop.yaml', '/stage.yaml'].map(end => `${base}${end}`),
  );
}
