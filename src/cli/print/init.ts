import { relative } from 'node:path';
import type { Surroundings } from '../../app/init.ts';
import { knownAgents } from '../../app/install.ts';
import type { Terminal } from './paint.ts';
import { hanging, rows } from './rows.ts';
import { columnWidths, row } from './table.ts';
import { flat, folded } from './text.ts';

/** What is asked; an answer of nothing takes what stands in brackets. */
export const questions = {
  beforehand: 'Three questions. Enter takes the answer in brackets.\n\n',
  agent: (usual: string | undefined): string =>
    `Which agent should hookloop run start: ${knownAgents.run.join(', ')} or none? [${usual ?? 'none'}]`,
  gates: (gates: Surroundings['gates']): string => {
    if (gates.length === 0) return 'Which command must pass before a task is done, such as make test? [none]';
    return `Must ${new Intl.ListFormat('en-GB').format(gates.map(({ command }) => command))} pass before a task is done? [Y/n]`;
  },
  denyPush: 'Keep agents from running git push? [Y/n]',
  yesOrNo: 'Please answer y or n.',
} as const;

/** A question on as many lines as it needs, and room for the answer behind it. */
export const asked = (question: string, { columns }: Terminal): string =>
  `${folded(question, Math.max(20, columns - answerRoom)).join('\n')} `;
const answerRoom = 10;

/** Why an answer will not do, before the question is asked again. */
export const notThat = (why: string, { columns }: Terminal): string =>
  `${hanging(`  ${flat(why)}`, 2, columns).join('\n')}\n`;

export const existsText = ({ path, what }: { path: string; what: string }, cwd: string): string =>
  `hookloop init: ${flat(shown(path, cwd))} ${what}; nothing was changed.${what === thereAlready ? ' To check it: hookloop check' : ''}\n`;
export const thereAlready = 'already exists';

/** What was seen, before anything is asked. */
export function foundText({ gates, agents, hookFiles, remarks }: Surroundings, { colours }: Terminal): string {
  const cells = gates.map(({ command, from }) => [command, colours.dim(flat(from))]);
  const widths = columnWidths(cells);
  return [
    gates.length === 0 ? 'No tests or checks were found here.' : 'Found:',
    ...cells.map(each => `  ${row(each, widths)}`),
    agents.length > 0 ? `Agents: ${agents.join(', ')}` : 'No coding agent was found on PATH.',
    ...(hookFiles.length > 0 ? [`Hooks that also apply: ${hookFiles.map(flat).join(', ')}`] : []),
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

interface Chosen {
  agent: string | undefined;
  agents: readonly string[];
  gates: readonly unknown[];
  denyPush: boolean;
}

/** From what needs nothing to what needs an agent. `lack`: what is missing before `hookloop run` can start the agent. */
export function nextSteps({ agent, agents, gates, denyPush }: Chosen, lack: string | undefined): Step[] {
  const host = agents.find(name => name === agent) ?? (agent === undefined ? agents[0] : undefined);
  const install = lack === undefined ? undefined : /(npm install \S.*)$/.exec(lack)?.[1];
  return [
    ...(gates.length > 0 ? [tryGates] : denyPush ? [tryRule] : []),
    ...(host === undefined
      ? []
      : [
          { command: 'hookloop trust', does: 'look at what these hooks run, and let agents run them' },
          { command: `hookloop install ${host}`, does: `make ${host} call them in its own sessions` },
        ]),
    ...(install === undefined ? [] : [{ command: install, does: `get what hookloop run starts for ${agent}` }]),
    ...(agent === undefined && agents.length === 0
      ? [{ command: 'hookloop demo', does: 'see a session at work; it needs no agent and no model' }]
      : []),
    {
      command: `hookloop run${agent === undefined ? ' --agent claude' : ''} --prompt "..."`,
      does: 'let an agent work, with these hooks around it',
    },
  ];
}

const tryGates: Step = {
  command: 'hookloop try task.completing',
  does: 'run these checks now: they should pass before an agent begins',
};
const tryRule: Step = {
  command: "hookloop try tool.calling tool=Bash command='git push'",
  does: 'see the rule refuse a push',
};

/** The file as it was written, and what to do next. */
export function writtenText(
  path: string,
  text: string,
  steps: readonly Step[],
  { cwd, colours, columns }: Terminal & { cwd: string },
): string {
  const lines = text.trimEnd().split('\n');
  return [
    `Wrote ${colours.bold(flat(shown(path, cwd)))}:`,
    '',
    ...lines.map(line => (line === '' ? '' : `  ${line.trimStart().startsWith('#') ? colours.dim(line) : line}`)),
    '',
    'Next:',
    ...rows(
      steps.map(({ command, does }) => [command, does] as const),
      columns,
    ),
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
