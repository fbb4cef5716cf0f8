import { rootsAbove } from '../hooks/trust/ended-search.ts';
import { type HookDefinition, type Problem, problemLine } from '../model/index.ts';
import { counted } from '../model/words.ts';
import { neverNotes } from './event-ways.ts';
import type { AllHooks } from './list-hooks.ts';
import { whyNotRunnable } from './list-kinds.ts';
import { flat } from './print/table.ts';

/** What stands below the table. */
export function listNotes({ hooks, places, ends }: Pick<AllHooks, 'hooks' | 'places' | 'ends'>): string {
  const idle = hooks.filter(hook => whyNotRunnable(hook) !== undefined).length;
  const leftTo = [...new Set(hooks.flatMap(({ match }) => match.notAgent ?? []))];
  const lines = [
    `${counted(hooks.length, 'hook')}${idle === 0 ? '' : `, ${idle} will not run`}`,
    ...leftTo.map(agent => `While ${agent} is the agent it runs the ${agent} hooks itself.`),
    ...neverNotes(hooks.map(({ event }) => event)),
    ...outerRootsOf(hooks).map(root => `The gates of ${flat(root)} apply here as well; its other hooks do not.`),
    ...(ends.some(end => rootsAbove(end, places).length > 0)
      ? ['root: true does not count before its file is trusted: hookloop trust']
      : []),
  ];
  return `${lines.join('\n')}\n`;
}

const outerRootsOf = (hooks: readonly HookDefinition[]): string[] => [
  ...new Set(hooks.flatMap(({ root }) => root ?? [])),
];

/** What is wrong with hook files, a line for each; empty where all is well. */
export function problemNote(problems: readonly Problem[]): string {
  if (problems.length === 0) return '';
  const meaning = problems.some(({ refuses }) => refuses) ? '; until they are fixed no hook runs' : '';
  return [
    ...problems.slice(0, shownProblems).map(problemLine),
    `${problemCounts(problems)} in hook files${meaning}; see hookloop check`,
    '',
  ].join('\n');
}

const shownProblems = 10;

/** `2 errors, 1 warning` */
export const problemCounts = (problems: readonly Problem[]): string =>
  (['error', 'warning'] as const)
    .map(severity => [severity, problems.filter(problem => problem.severity === severity).length] as const)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => counted(count, severity))
    .join(', ');
