import type { Diagnosis } from '../../app/doctor.ts';
import type { Colours, Style } from './paint.ts';
import { type Column, tableLines } from './table.ts';
import { flat } from './text.ts';

type AgentReport = Diagnosis['agents'][number];
type EntryFile = AgentReport['files'][number];
type Finding = AgentReport['findings'][number];

/** A line for each agent, then what was found about each. */
export function doctorText({ agents, project, programs }: Diagnosis, colours: Colours): string {
  if (agents.length === 0)
    return `No agent was found. Looked on PATH and in node_modules for ${programs.join(', ')}, and for entries of Hookloop in their hook files.\n`;
  const table = tableLines(agents, columns, { colours, columns: Number.POSITIVE_INFINITY });
  const details = agents.flatMap(report => ['', ...detailsOf(report, colours)]);
  return `${[...table, ...details, ...projectLines(project, colours)].join('\n')}\n`;
}

const columns: readonly Column<AgentReport>[] = [
  { title: 'AGENT', cell: ({ agent }) => agent, style: () => 'bold' },
  { title: 'VERSION', cell: ({ version }) => flat(version ?? '-') },
  { title: 'FIRES', cell: ({ fires }) => answerWord(fires), style: ({ fires }) => answerStyle(fires) },
  { title: 'BLOCKS', cell: ({ blocks }) => answerWord(blocks), style: ({ blocks }) => answerStyle(blocks) },
  { title: 'AGENT TRUST', cell: ({ trust }) => trustWords[trust] },
  { title: 'ONE HOOK', cell: ({ latencyMs }) => (latencyMs === null ? '-' : `${latencyMs} ms`) },
];

const answerWord = (answer: boolean | null): string => (answer === null ? '-' : answer ? 'yes' : 'NO');
const answerStyle = (answer: boolean | null): Style | undefined => (answer === false ? 'red' : undefined);

const trustWords: Readonly<Record<AgentReport['trust'], string>> = {
  trusted: 'trusted',
  untrusted: 'not trusted',
  changed: 'changed since',
  unneeded: 'not needed',
  unknown: '-',
};

function detailsOf({ agent, program, files, findings }: AgentReport, colours: Colours): string[] {
  const where = program === null ? '' : colours.dim(`  ${flat(program)}`);
  const shown = files.filter(({ state }) => state !== 'none');
  return [`${colours.bold(agent)}${where}`, ...shown.map(fileLine), ...findings.flatMap(one => linesOf(one, colours))];
}

const fileLine = ({ file, scopes, state }: EntryFile): string =>
  `  ${flat(file)} (${scopes.join(', ')}): ${stateWords[state]}`;

const stateWords: Readonly<Record<EntryFile['state'], string>> = {
  current: 'calls Hookloop',
  old: 'calls Hookloop, in the form of an older version',
  none: 'nothing of Hookloop',
  unreadable: 'cannot be used',
};

function linesOf({ severity, message, fix }: Finding, { red, yellow, cyan }: Colours): string[] {
  const paint = { error: red, warning: yellow, note: (text: string) => text }[severity];
  return [
    `  ${paint(`${severity}:`)} ${flat(message)}`,
    ...(fix === undefined ? [] : [`    ${cyan('do:')} ${flat(fix)}`]),
  ];
}

const projectLines = ({ trust, fix }: Diagnosis['project'], { yellow, cyan }: Colours): string[] =>
  trust !== 'untrusted'
    ? trust === 'trusted'
      ? ['', 'The hooks of this project are trusted: agents may run them.']
      : []
    : [
        '',
        `${yellow('warning:')} agents do not run the hooks of this project: you have not trusted them as they are now`,
        `  ${cyan('do:')} ${fix}`,
      ];
