import type { Diagnosis } from '../../app/doctor.ts';
import type { Colours } from './paint.ts';
import { columnWidths, row } from './table.ts';
import { flat } from './text.ts';

type AgentReport = Diagnosis['agents'][number];
type EntryFile = AgentReport['files'][number];
type Finding = AgentReport['findings'][number];

/** A line for each agent, then what was found about each. */
export function doctorText({ agents, project, programs }: Diagnosis, colours: Colours): string {
  if (agents.length === 0)
    return `No agent was found. Looked on PATH and in node_modules for ${programs.join(', ')}, and for entries of Hookloop in their hook files.\n`;
  const rows = agents.map(cellsOf);
  const widths = columnWidths([headings, ...rows]);
  const table = [
    colours.dim(row(headings, widths)),
    ...rows.map((cells, at) => row(cells, widths, (cell, column) => paintCell(cell, column, agents[at]!, colours))),
  ];
  const details = agents.flatMap(report => ['', ...detailsOf(report, colours)]);
  return `${[...table, ...details, ...projectLines(project, colours)].join('\n')}\n`;
}

const headings = ['AGENT', 'VERSION', 'FIRES', 'BLOCKS', 'TRUST', 'ONE HOOK'];

const cellsOf = ({ agent, version, fires, blocks, trust, latencyMs }: AgentReport): string[] => [
  agent,
  flat(version ?? '-'),
  answerWord(fires),
  answerWord(blocks),
  trustWords[trust],
  latencyMs === null ? '-' : `${latencyMs} ms`,
];

const answerWord = (answer: boolean | null): string => (answer === null ? '-' : answer ? 'yes' : 'NO');

const trustWords: Readonly<Record<AgentReport['trust'], string>> = {
  trusted: 'trusted',
  untrusted: 'not trusted',
  changed: 'changed since',
  unneeded: 'not needed',
  unknown: '-',
};

function paintCell(cell: string, column: number, { fires, blocks }: AgentReport, { bold, red }: Colours): string {
  if (column === 0) return bold(cell);
  const isWrong = (column === 2 && fires === false) || (column === 3 && blocks === false);
  return isWrong ? red(cell) : cell;
}

function detailsOf({ agent, program, files, findings }: AgentReport, colours: Colours): string[] {
  const where = program === null ? '' : colours.dim(`  ${flat(program)}`);
  const shown = files.filter(({ state }) => state !== 'none');
  return [`${colours.bold(agent)}${where}`, ...shown.map(fileLine), ...findings.flatMap(one => linesOf(one, colours))];
}

const fileLine = ({ file, scopes, state }: EntryFile): string =>
  `  ${flat(file)} (${scopes.join(', ')}): ${stateWords[state]}`;

const stateWords: Readonly<Record<EntryFile['state'], string>> = {
  current: 'calls Hookloop',
  old: 'calls Hookloop, in an older wording',
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
    ? []
    : [
        '',
        `${yellow('warning:')} agents do not run the hooks of this project, since you have not trusted them as they are`,
        `  ${cyan('do:')} ${fix}`,
      ];
