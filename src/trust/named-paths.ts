import { resolve } from 'node:path';
import { pipelineFolders } from '../discovery/pipeline-files.ts';
import type { HookDefinition, Places } from '../model/index.ts';
import { type Command, parseCommands } from '../shell/parse.ts';
import { plainPrograms } from '../shell/roles/programs.ts';
import { readRoles } from '../shell/roles/roles.ts';

/**
 * The paths that a hook may run something from, whether there is a file or not: its program, and every word of its
 * command that can be a path, also behind `=`, in `sh -c '...'` and as input. Words of programs that start nothing
 * (`cat`, `grep`) and words that only the shell can tell (`"$x"`) do not count.
 */
export function namedPaths(hook: HookDefinition, places: Places): readonly string[] {
  const { action } = hook;
  if (action.kind === 'spawn') return pipelinePaths(action.pipeline, places);
  if (action.kind !== 'shell') return [];
  const cwd = action.cwd === 'root' ? places.root : places.cwd;
  const roots = knownFolders(hook, places);
  const words =
    action.run.via === 'exec'
      ? [action.run.file, ...action.run.args].flatMap(partsOf).filter(isPathLike)
      : wordsIn(withMarks(action.run.script, roots), 0).map(word => withoutMarks(word, roots));
  const found = words.flatMap(word => (/^\.{0,2}$/.test(word) || word.includes('\0') ? [] : [resolve(cwd, word)]));
  return [...new Set(found)].filter(path => !systemFolders.test(path)).slice(0, maxPaths);
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

const maxDepth = 4;

function wordsIn(script: string, depth: number): string[] {
  const { commands, programs, stopped } = parseCommands(script);
  const folders = commands.flatMap(({ words: [first, second] }) =>
    first?.text === 'cd' && second?.text !== undefined ? [second.text] : [],
  );
  const words = [
    ...commands.flatMap(literalWords),
    ...(stopped === undefined ? [] : looseWords(script.slice(stopped))),
  ];
  const inner = depth < maxDepth ? [...programs, ...words.filter(word => /\s/.test(word))] : [];
  const named = words.flatMap(partsOf).filter(word => !/\s/.test(word) || word.includes('/'));
  return [
    ...named,
    ...folders.flatMap(folder => named.map(word => (/^[/~]/.test(word) ? word : `${folder}/${word}`))),
    ...inner.flatMap(program => wordsIn(program, depth + 1)),
  ];
}

/** The literal words of a command that may name something to run. */
function literalWords(command: Command): string[] {
  const { runs, scripts, words } = readRoles(command.kind === 'simple' ? command.words : []);
  const isPlain =
    runs.length > 0 && runs.every(({ program, at }) => plainPrograms.has(program) && !scripts.includes(at));
  const texts = isPlain
    ? []
    : words.flatMap(({ text }, at) => textIf(text, scripts.includes(at) || isPathLike(text ?? '')));
  const others = [...command.assignments.map(({ value }) => value), ...inputsOf(command)];
  return [...texts, ...others.flatMap(({ text }) => textIf(text, true))];
}

const textIf = (text: string | undefined, wanted: boolean): string[] => (text !== undefined && wanted ? [text] : []);

const inputsOf = ({ redirections }: Command) =>
  redirections.filter(({ operator }) => operator === '<' || operator === '<>').map(({ target }) => target);

/** A bare word is looked for in PATH, or is no file at all. */
const isPathLike = (text: string): boolean => /[/.\s]/.test(text);

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
