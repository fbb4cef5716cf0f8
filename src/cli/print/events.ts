import { type EventRow, leftToClaude, neverFired } from '../../app/events.ts';
import { type DialectName, dialectNames, type EventName, type LeftOut } from '../../model/index.ts';
import type { Terminal } from './paint.ts';
import { columnWidths, row, totalWidth } from './table.ts';
import { flat, pad, wrap } from './text.ts';

/** One column for each dialect that has names of its own; below each other where the terminal is too narrow for that. */
export function eventTable(rows: readonly EventRow[], terminal: Terminal): string {
  const named = dialectNames.filter((name, at) => rows.some(row => hasOwnName(row, name, dialectNames.slice(at + 1))));
  const lines = wideLines(rows, named, terminal) ?? narrowLines(rows, named, terminal);
  return `${[...lines, '', ...notes, '', ...wayLines(terminal.columns)].join('\n')}\n`;
}

/** A dialect that takes only our names and those of a later one needs no column. */
const hasOwnName = ({ event, spellings }: EventRow, name: DialectName, later: readonly DialectName[]): boolean =>
  spellings[name]!.some(spelling => spelling !== event && !later.some(other => spellings[other]!.includes(spelling)));

const notes = [
  '* has not happened yet: hooks may refuse it',
  'hookloop.yaml takes these names and those of pipelines.',
  'Gates of sauna name no event: they are for task.completing.',
  'hookloop dispatch takes every name shown here.',
];

const titleOf = ({ event, pending }: EventRow): string => `${event}${pending ? ' *' : ''}`;

function wideLines(
  rows: readonly EventRow[],
  named: readonly DialectName[],
  { colours, columns }: Terminal,
): string[] | undefined {
  const blocks = rows.map(one => stack([[titleOf(one)], ...named.map(name => one.spellings[name]!)]));
  const heading = ['EVENT', ...named.map(name => name.toUpperCase())];
  const widths = columnWidths([heading, ...blocks.flat()]);
  if (totalWidth(widths) > columns) return undefined;
  const paint = (cell: string, column: number): string => (column === 0 ? colours.bold(cell) : cell);
  return [colours.dim(row(heading, widths)), ...blocks.flat().map(cells => row(cells, widths, paint))];
}

/** Cells with several lines become several rows. */
function stack(cells: readonly (readonly string[])[]): string[][] {
  const height = Math.max(...cells.map(lines => lines.length));
  return Array.from({ length: height }, (_, at) => cells.map(lines => lines[at] ?? ''));
}

function narrowLines(
  rows: readonly EventRow[],
  named: readonly DialectName[],
  { colours, columns }: Terminal,
): string[] {
  const width = Math.max(...rows.map(one => titleOf(one).length)) + 2;
  return rows.flatMap(one => {
    const parts = named.flatMap(name =>
      one.spellings[name]!.length === 0 ? [] : [`${name}: ${one.spellings[name]!.join(', ')}`],
    );
    const [first = '', ...rest] = wrap(parts, columns - width, ' · ');
    return [
      `${colours.bold(first === '' ? titleOf(one) : pad(titleOf(one), width))}${first}`,
      ...rest.map(line => ' '.repeat(width) + line),
    ];
  });
}

/** Hooks that are left to the program whose format they are in, an event a line. */
export function leftOutNotes(leftOut: readonly LeftOut[]): string[] {
  return [...new Set(leftOut.map(({ event }) => event))].map(event => {
    const hooks = leftOut.filter(one => one.event === event);
    const places = hooks.map(({ file, line }, at) => `${file === hooks[at - 1]?.file ? '' : flat(file)}:${line}`);
    return `Hooks of ${flat(event)} are not run here: ${hooks[0]!.why} (${places.join(', ')})`;
  });
}

/** For each way of running hooks, the events that never fire in it. */
export function wayLines(columns: number): string[] {
  const { inRun, byAgents, byAgent } = neverFired();
  const rows: (readonly [way: string, never: readonly EventName[]])[] = [
    ['hookloop run', inRun],
    ['hooks of agents', byAgents],
    ...byAgent.map(({ agent, never }) => [`... of ${agent}`, never] as const),
  ];
  const told = rows.filter(([, never]) => never.length > 0);
  const width = Math.max(...told.map(([way]) => way.length)) + 4;
  const lines = told.flatMap(([way, never]) =>
    wrap(never, columns - width - 1, ', ').map((line, at) => `  ${(at === 0 ? way : '').padEnd(width - 2)}${line}`),
  );
  const own = wrap(leftToClaude, columns - 3, ', ').map(line => `  ${line}`);
  return [
    'Never fires by itself (hookloop dispatch fires any event):',
    ...lines,
    '',
    'Only Claude Code fires these, and runs their hooks itself:',
    ...own,
  ];
}

/** The same for the events of some hooks, a line where something never fires. */
export function neverNotes(events: readonly EventName[]): string[] {
  const { inRun, byAgents, onlyBy } = neverFired(events);
  return [
    ...(inRun.length > 0 ? [`Never fires in hookloop run: ${inRun.join(', ')}`] : []),
    ...(byAgents.length > 0 ? [`Never fires from agents' own hooks (hookloop install): ${byAgents.join(', ')}`] : []),
    ...onlyBy.map(
      ({ event, agents }) =>
        `Of agents' own hooks (hookloop install), only those of ${agents.join(', ')} fire: ${event}`,
    ),
  ];
}
