import { resolve } from 'node:path';
import type { HookDefinition, Invocation, Places, ShellAction } from '../../model/index.ts';
import { type Reading, readTexts, restOf, type ShellText, takesData } from '../../shell/texts.ts';
import { pipelineFolders } from '../discovery/find-files.ts';
import { hashFile } from './hashes.ts';

interface NamedFiles {
  /** Paths that the hook names and may run something from, whether there is a file or not. */
  paths: readonly string[];
  /** What it runs and does not name, as it is written. */
  unpinned: readonly string[];
}

/**
 * What a hook names literally: its program, what an interpreter is given to run, and words that look like paths of programs
 * which may run them; where it also runs what it does not name, all words that look like paths. Nothing is worked out: what
 * is behind a variable, or relative to a folder that the command enters, is not named.
 */
export function namedFiles(hook: HookDefinition, places: Places): NamedFiles {
  const { action } = hook;
  if (action.kind === 'spawn') return { paths: pipelinePaths(action.pipeline, places), unpinned: [] };
  const run = runOf(action);
  if (!run) return { paths: [], unpinned: [] };
  const { texts, pathOf, shown } = readCommand(hook, run, places);
  const unpinned = texts.flatMap(unnamedIn).map(shown);
  const words = texts.flatMap(text => [...namedWords(text, unpinned.length > 0), ...looseWords(restOf(text))]);
  const paths = new Set(words.flatMap(partsOf).filter(isFileName).map(pathOf));
  const named = [...paths].filter(path => !systemFolders.test(path));
  if (named.length > maxPaths) unpinned.push(`more than ${maxPaths} paths`);
  return { paths: named.slice(0, maxPaths), unpinned };
}

/** The files among them. */
export const namedScripts = (hooks: readonly HookDefinition[], places: Places): string[] =>
  hooks.flatMap(hook => namedFiles(hook, places).paths.filter(path => hashFile(path) !== null));

/**
 * What a command starts by its path, or hands to an interpreter. Where it changes its folder, relative ones are left out,
 * and so is what it asks for before (`[ -x a.sh ]`).
 */
export function startedPaths(hook: HookDefinition, places: Places): { path: string; isProgram: boolean }[] {
  const { action } = hook;
  const run = runOf(action);
  if (!run) return [];
  const { texts, pathOf } = readCommand(hook, run, places);
  const commands = texts.flatMap(text => text.commands);
  const moves = commands.some(({ words: [first] }) => /^(cd|pushd)$/.test(first?.text ?? ''));
  const tests = commands.filter(({ words: [first] }) => /^(test|\[\[?)$/.test(first?.text ?? ''));
  const asked = new Set(tests.flatMap(({ words }) => words.map(({ text }) => text)));
  const found = commands.flatMap(({ words, runs, scripts }) => [
    ...runs.map(({ at }) => ({ word: words[at]?.text, isProgram: true })),
    ...scripts.map(at => ({ word: words[at]?.text, isProgram: false })),
  ]);
  return found.flatMap(({ word, isProgram }) => {
    if (word === undefined || word.includes('\0') || asked.has(word)) return [];
    // A bare word may be a command of the interpreter: `bun run`.
    if (!(isProgram ? /\// : /[/.]/).test(word) || (moves && !word.startsWith('/'))) return [];
    return [{ path: pathOf(word), isProgram }];
  });
}

type ShellRun = Pick<ShellAction, 'run' | 'cwd'>;

/** What an action starts; the server of a tool is a program like any other. */
function runOf(action: HookDefinition['action']): ShellRun | undefined {
  if (action.kind === 'shell') return action;
  if (action.kind !== 'mcp_tool' || action.reached?.via !== 'stdio') return undefined;
  const { command: file, args } = action.reached;
  return { run: { via: 'exec', file, args }, cwd: 'root' };
}

/** The command with folders that we know in place of what stands for them, so that paths in them are literal. */
function readCommand(hook: HookDefinition, { run, cwd }: ShellRun, places: Places) {
  const known = knownFolders(hook, places);
  const shown = (text: string): string =>
    text.replaceAll(/\/\.hookloop-folder-(\d)/g, (whole, at: string) => known[Number(at)]?.[1] ?? whole);
  // A folder may have any name; the shell reads a plain word in its place.
  const script = known.reduce(
    (text, [expression], at) => text.replaceAll(new RegExp(expression, 'g'), `/.hookloop-folder-${at}`),
    scriptOf(run),
  );
  const from = cwd === 'root' ? places.root : places.cwd;
  // A single word of another language is hardly ever a path.
  const texts = readTexts(script).texts.filter(({ text, language }) => !language || /\s/.test(text));
  return { texts, shown, pathOf: (word: string): string => resolve(from, shown(word)) };
}

/** A program that is started with arguments is what a shell would start with them. */
const scriptOf = (run: Invocation): string =>
  run.via === 'exec' ? [run.file, ...run.args].map(word => `'${word.replaceAll("'", "'\\''")}'`).join(' ') : run.script;

/** Expressions that stand for a folder we know. */
function knownFolders(
  { settings }: HookDefinition,
  { root, repo, home, plugin }: Places,
): readonly (readonly [expression: string, folder: string])[] {
  const pluginRoot = typeof settings?.['pluginRoot'] === 'string' ? settings['pluginRoot'] : plugin;
  return [
    [variable('(?:CLAUDE|GEMINI|QWEN|CURSOR)_PROJECT_DIR|PWD'), root],
    ['\\$\\((?:git rev-parse --show-toplevel|pwd)\\)|`(?:git rev-parse --show-toplevel|pwd)`', root],
    [variable('REPO_ROOT'), repo],
    [variable('HOOKS_DIR'), resolve(root, String(settings?.['hooksDir'] ?? '.'))],
    [`${variable('HOME')}|(?<=^|[\\s=:'"])~(?=/)`, home],
    ...(pluginRoot === undefined ? [] : [[variable('CLAUDE_PLUGIN_ROOT'), pluginRoot] as const]),
  ];
}

const variable = (names: string): string => `\\$(?:(?:${names})\\b|\\{(?:${names})(?::?[-?][^{}]*)?\\})`;

const namedWords = ({ commands }: ShellText, isWide: boolean): string[] =>
  commands.flatMap(command => {
    const { kind, words, assignments, redirections, marks, scripts, stdin } = command;
    const mayRunAny = isWide ? !onlyChanges(command) : kind === 'simple' && !takesData(command);
    const run = new Set(marks.flatMap(({ index, role }) => (isRun(role) || role === 'code' ? [index] : [])));
    const named = words.flatMap(({ text }, index) =>
      text !== undefined && (mayRunAny || run.has(index)) && (scripts.includes(index) || isPathLike(text))
        ? [text]
        : [],
    );
    const handed = mayRunAny && words.length > 0 ? assignments.flatMap(({ value }) => value.text ?? []) : [];
    const fed = stdin === 'no' ? [] : redirections.filter(({ operator }) => operator === '<' || operator === '<>');
    return [...named, ...handed.filter(isPathLike), ...fed.flatMap(({ target }) => target.text ?? [])];
  });

/** What runs and only the shell can tell: a program, script or text behind a variable, and what comes to a shell from a pipe. */
const unnamedIn = ({ text, commands }: ShellText): string[] =>
  commands.flatMap(({ pipeline, stage, end, redirections, words, marks, filled, stdin }) => {
    const open = marks.flatMap(({ index, role }) => {
      const word = words[index];
      const isText = role === 'code' && word?.prefix === '' && word.suffix === '';
      if (!word || word.start < 0 || !(isRun(role) || isText)) return [];
      if (word.text !== undefined && !filled?.has(index)) return [];
      const raw = text.slice(word.start, word.end);
      return raw.startsWith('~') ? [] : [raw];
    });
    const isPiped = stage > 0 && stdin !== 'no' && !redirections.some(({ operator }) => operator.startsWith('<'));
    const start = commands.find(other => other.pipeline === pipeline)!.start;
    return isPiped ? [...open, text.slice(start, end).trim()] : open;
  });

const isRun = (role: Reading['marks'][number]['role']): boolean => role === 'program' || role === 'script';

/** A bare word is looked for in PATH, or is no file at all. */
const isPathLike = (text: string): boolean => /[/.\s]/.test(text);

const looseWords = (text: string): string[] => text.split(/[\s;&|()<>'"`]+/).filter(isPathLike);

/** `--config=tools/check.js` names a file as well. */
const partsOf = (word: string): string[] => (word.includes('=') ? [word, word.slice(word.indexOf('=') + 1)] : [word]);

const isFileName = (word: string): boolean =>
  !/^\.{0,2}$/.test(word) && !word.includes('\0') && (!/\s/.test(word) || word.includes('/'));

/** They write what they name, or ask about it. */
const onlyChanges = ({ runs }: Reading): boolean =>
  runs.some(({ program }) => /^(tee|rm|rmdir|mkdir|touch|test|\[\[?)$/.test(program));

const maxPaths = 200;

/** What lies there is the system's: an update of it is no change of the project. */
const systemFolders = /^\/(usr|bin|sbin|lib\d*|opt|etc|nix|snap|dev|proc|sys|System|Library|Applications)(\/|$)/;

function pipelinePaths(name: string, { root }: Places): string[] {
  const bases = ['.', ...pipelineFolders].map(folder => resolve(root, folder, name));
  return bases.flatMap(base =>
    ['', '.yaml', '.yml', '/pipeline.yaml', '/loop.yaml', '/stage.yaml'].map(end => `${base}${end}`),
  );
}
