import type { HookDefinition, Problem } from '../model/index.ts';
import { whyNotRunnable } from './list-kinds.ts';

/** What stands below the table. */
export function listNotes(hooks: readonly HookDefinition[]): string {
  const idle = hooks.filter(hook => whyNotRunnable(hook) !== undefined).length;
  const leftTo = [...new Set(hooks.flatMap(({ match }) => match.notAgent ?? []))];
  const lines = [
    `${countOf(hooks.length, 'hook')}${idle === 0 ? '' : `, ${idle} will not run`}`,
    ...leftTo.map(agent => `While ${agent} is the agent it runs the ${agent} hooks itself.`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Empty where all is well. */
export function problemNote(problems: readonly Problem[]): string {
  if (problems.length === 0) return '';
  const meaning = problems.some(({ refuses }) => refuses) ? '; until they are mended no hook runs' : '';
  return `hookloop list: ${problemCounts(problems)} in hook files${meaning}; see hookloop check\n`;
}

/** `2 errors, 1 warning` */
export const problemCounts = (problems: readonly Problem[]): string =>
  (['error', 'warning'] as const)
    .map(severity => [severity, problems.filter(problem => problem.severity === severity).length] as const)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => countOf(count, severity))
    .join(', ');

export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
