import { relative } from 'node:path';
import type { Surroundings } from '../../app/init.ts';
import type { Terminal } from './paint.ts';
import { columnWidths, row } from './table.ts';
import { flat } from './text.ts';

/** What is asked; an answer of nothing takes what stands in brackets. */
export const questions = {
  agent: (usual: string | undefined): string =>
    `Which agent works here (claude, codex, gemini, qwen, opencode, none)? [${usual ?? 'none'}] `,
  gates: (gates: Surroundings['gates']): string => {
    if (gates.length === 0) return 'Which command must pass before a task is done? [none] ';
    return `Must ${gates.length === 1 ? 'this' : 'these'} pass before a task is done? [Y/n] `;
  },
  denyPush: 'Keep agents from git push? [Y/n] ',
} as const;

export const existsText = ({ path, what }: { path: string; what: string }, cwd: string): string =>
  `hookloop init: ${flat(shown(path, cwd))} ${what}; nothing was changed. hookloop check says whether it is right.\n`;

/** What was seen, before anything is asked. */
export function foundText({ gates, agents, hookFiles, remarks }: Surroundings, { colours }: Terminal): string {
  const rows = gates.map(({ command, from }) => [command, colours.dim(flat(from))]);
  const widths = columnWidths(rows);
  return [
    gates.length === 0 ? 'No tests or checks were found here.' : 'Found:',
    ...rows.map(cells => `  ${row(cells, widths)}`),
    ...(agents.length > 0 ? [`Agents: ${agents.join(', ')}`] : []),
    ...(hookFiles.length > 0 ? [`Hooks that apply as well: ${hookFiles.map(flat).join(', ')}`] : []),
    ...remarks.map(remark => `${colours.yellow('Note:')} ${flat(remark)}`),
    '',
    '',
  ].join('\n');
}

/** A command to type next, and what it is for. */
export interface Step {
  command: string;
  does: string;
}

/** `lack`: what is missing before `hookloop run` can start the agent. */
export function nextSteps(
  { agent, agents }: { agent: string | undefined; agents: readonly string[] },
  lack: string | undefined,
): Step[] {
  const host = agents.find(name => name === agent) ?? (agent === undefined ? agents[0] : undefined);
  const install = lack === undefined ? undefined : /(npm install \S.*)$/.exec(lack)?.[1];
  return [
    { command: 'hookloop list', does: 'see what applies here' },
    ...(host === undefined
      ? []
      : [
          { command: 'hookloop trust', does: 'look at these hooks and let agents run them' },
          { command: `hookloop install ${host}`, does: `${host} calls them in its own sessions` },
        ]),
    ...(install === undefined ? [] : [{ command: install, does: `what hookloop run starts for ${agent}` }]),
    {
      command: `hookloop run${agent === undefined ? ' --agent claude' : ''} --prompt "..."`,
      does: 'let an agent work, with these gates',
    },
  ];
}

/** The file as it was written, and what to do next. */
export function writtenText(
  path: string,
  text: string,
  steps: readonly Step[],
  { cwd, colours }: Terminal & { cwd: string },
): string {
  const rows = steps.map(({ command, does }) => [command, colours.dim(does)]);
  const widths = columnWidths(rows);
  return [
    `Wrote ${colours.bold(flat(shown(path, cwd)))}:`,
    '',
    ...text
      .trimEnd()
      .split('\n')
      .map(line => (line === '' ? '' : `  ${line.trimStart().startsWith('#') ? colours.dim(line) : line}`)),
    '',
    'Next:',
    ...rows.map(cells => `  ${row(cells, widths)}`),
    '',
  ].join('\n');
}

/** A contract with scripts. */
export const initJson = (
  file: string,
  { agent, gates, denyPush }: { agent: string | undefined; gates: Surroundings['gates']; denyPush: boolean },
  next: readonly Step[],
): unknown => ({
  ...{ file, agent: agent ?? null },
  gates: gates.map(({ command, from }) => ({ command, from })),
  rules: denyPush ? ['git push'] : [],
  next: next.map(({ command }) => command),
});

const shown = (path: string, cwd: string): string => relative(cwd, path) || path;
