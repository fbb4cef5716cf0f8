import { relative } from 'node:path';
import type { Checked } from '../../app/check.ts';
import type { Env } from '../../app/context.ts';
import type { Change } from '../../app/watch-check.ts';
import { type Problem, problemLine } from '../../model/index.ts';
import { counted } from '../../model/words.ts';
import { folderFlaws } from '../../platform/folders.ts';
import type { Colours } from './paint.ts';
import { flat } from './text.ts';

/** What `check --json` gives. A contract with scripts: fields are added, never changed. */
export function checkReport(problems: readonly Problem[]): unknown {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return {
    problems: problems.map(({ severity, message, hint, at: { file, line, column } }) => ({
      ...{ severity, message, hint, file, line, column },
    })),
    errors,
    warnings: problems.length - errors,
  };
}

export function checkSummary({ problems, hookFiles, hooks }: Checked): string {
  const inFiles = new Set(problems.map(({ at }) => at.file)).size;
  if (problems.length > 0) return `${problemCounts(problems)} in ${counted(inFiles, 'file')}\n`;
  if (hookFiles === 0)
    return 'no hook files here; hookloop init writes a first one, hookloop list shows where to put them\n';
  return `no problems in ${counted(hookFiles, 'hook file')}, ${counted(hooks, 'hook')}\n`;
}

/** What `check --watch` does until something changes. */
export const watchingText = (files: number): string =>
  `${files === 0 ? 'Watching for hook files' : `Watching ${counted(files, 'file')}`}. Ctrl-C ends.\n`;

const changeWords: Readonly<Record<Change['kind'], string>> = {
  ...{ changed: 'changed', new: 'is new' },
  ...{ gone: 'is gone', back: 'is back' },
};

/** When a file changed, and which; of several the first, since they mostly changed for the same reason. */
export function changesText(changes: readonly Change[], now: Date, cwd: string, { dim }: Colours): string {
  const [first, ...others] = changes;
  if (first === undefined) return '';
  const more = others.length > 0 ? ` (and ${counted(others.length, 'more change')})` : '';
  const what = `${flat(shown(first.path, cwd))} ${changeWords[first.kind]}${more}`;
  return `${dim(`[${now.toTimeString().slice(0, 8)}] ${what}`)}\n`;
}

export const folderGoneText = (folder: string): string =>
  `${flat(folder)} is gone. It is checked again when it is back. Ctrl-C ends.\n`;

function shown(path: string, cwd: string): string {
  const near = relative(cwd, path);
  return near === '' || near.startsWith('../../') ? path : near;
}

/** What is wrong with the folders of the user, a line for each. */
export const flawsNote = (env: Env): string =>
  folderFlaws(env)
    .map(flaw => `hookloop: ${flat(flaw)}\n`)
    .join('');

/** What is wrong with hook files, a line for each; empty where all is well. */
export function problemNote(problems: readonly Problem[]): string {
  if (problems.length === 0) return '';
  const meaning = problems.some(({ refuses }) => refuses) ? '; no hook runs until they are fixed' : '';
  return [
    ...problems.slice(0, shownProblems).map(problemLine),
    `${problemCounts(problems)} in hook files${meaning}; see hookloop check`,
    '',
  ].join('\n');
}

const shownProblems = 10;

/** `2 errors, 1 warning` */
const problemCounts = (problems: readonly Problem[]): string =>
  (['error', 'warning'] as const)
    .map(severity => [severity, problems.filter(problem => problem.severity === severity).length] as const)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => counted(count, severity))
    .join(', ');
