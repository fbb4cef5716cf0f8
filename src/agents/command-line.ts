import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { AgentEnvironment, Unavailable } from '../model/agent.ts';
import { isExecutable } from '../platform/files.ts';
import { realPath, withFoldersAbove } from '../platform/folders.ts';
import { baseName, readTexts } from '../shell/texts.ts';

/**
 * The script that `sh -c` gets: the command takes the place of the shell, so that signals reach it.
 * What is more than one simple command would end after its first part then, and stays as it is.
 */
export function execLine(command: string): string {
  const isSimple =
    !/[;&|\n()`]|(^|\s)[{}](\s|$)/.test(command) &&
    !/^\s*([A-Za-z_]\w*=|(if|for|while|until|case|exec|!)\s)/.test(command);
  return isSimple ? `exec ${command.trim()}` : command;
}

/** Why the command of an agent cannot run, where that can be told: a program that it starts is nowhere. `kind:COMMAND` names the agent. */
export function missingProgram(kind: string, command: string, environment: AgentEnvironment): Unavailable | undefined {
  for (const program of programsIn(command)) {
    const trouble = troubleWith(program, environment);
    if (trouble !== undefined)
      return { kind: 'unavailable', reason: `${program}, the program of ${kind}:${command}, ${trouble}` };
  }
  return undefined;
}

/** A program and, where it only starts another one on this machine, that one too. */
function programsIn(command: string): string[] {
  // After an operator the shell may do without it.
  if (/[;&|()`\n]/.test(command)) return [];
  const [text] = readTexts(command).texts;
  const first = text?.commands[0];
  if (first?.kind !== 'simple' || first.assignments.some(({ name }) => name === 'PATH')) return [];
  const { words, marks, unsure } = first;
  const programs: string[] = [];
  for (const { index } of marks.filter(({ role }) => role === 'program')) {
    const { text } = words[index]!;
    const isElsewhere = words.slice(0, index).some(({ prefix }) => /^(-C|--chdir)/.test(prefix));
    if (text === undefined || isElsewhere || (unsure && unsure.from <= index)) break;
    if (passing.has(text)) continue;
    if (shellWords.has(text)) break;
    programs.push(text);
    if (!starters.has(baseName(text))) break;
  }
  return programs;
}

/** Words of a shell that start what follows. */
const passing: ReadonlySet<string> = new Set(['exec', 'command']);

/** They look for what follows as a shell does, in the same folder. */
const starters: ReadonlySet<string> = new Set(
  'env nohup setsid nice ionice chrt taskset timeout gtimeout stdbuf unbuffer time caffeinate'.split(' '),
);

/** What a shell does itself. */
const shellWords: ReadonlySet<string> = new Set(
  'eval . : cd export set unset true false test echo printf read ulimit umask trap exit if for while until case'.split(
    ' ',
  ),
);

function troubleWith(program: string, { cwd, env }: AgentEnvironment): string | undefined {
  const folders = program.includes('/') ? [cwd] : (env['PATH'] ?? '').split(':');
  const paths = folders.map(folder => resolve(cwd, folder, program)).filter(isFile);
  if (paths.some(isExecutable)) return undefined;
  return paths.length > 0 ? 'is not executable' : 'is not there';
}

export interface ProgramSearch {
  cwd: string;
  searchPath: string;
  /** A file of this program. */
  ownFile: string;
}

/** Where a program is: on PATH, in the project's node_modules, or in the one we came with. */
export function findProgram(name: string, { cwd, searchPath, ownFile }: ProgramSearch): string | undefined {
  const folders = [
    ...searchPath.split(':').flatMap(folder => (folder === '' ? [] : [resolve(cwd, folder)])),
    ...binFolders(cwd),
    ...binFolders(dirname(realPath(ownFile))),
  ];
  return folders.map(folder => join(folder, name)).find(path => isFile(path) && isExecutable(path));
}

const binFolders = (from: string): string[] =>
  withFoldersAbove(from).map(folder => join(folder, 'node_modules', '.bin'));

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
