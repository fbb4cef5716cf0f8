import { spellingsOf } from '../dialects/wires.ts';
import {
  coversEvent,
  type DialectName,
  dialectNames,
  type EventName,
  eventNames,
  fieldRules,
  isPending,
} from '../model/index.ts';
import { wayLines, waysOf } from './event-ways.ts';
import type { Colours } from './print/paint.ts';
import { columnWidths, pad, row, totalWidth, wrap } from './print/table.ts';

export interface EventRow {
  event: EventName;
  /** It has not happened yet: hooks may refuse it. */
  pending: boolean;
  spellings: Readonly<Record<string, readonly string[]>>;
  /** `run`, and the agents whose own hooks fire it; `dispatch` fires any. */
  firesIn: readonly string[];
  fields: readonly { name: string; type: string; doc: string }[];
}

/** The event table as data. */
export const eventRows = (): EventRow[] =>
  eventNames.map(event => ({
    event,
    pending: isPending(event),
    spellings: Object.fromEntries(spellingsOf(event).map(({ dialect, spellings }) => [dialect, spellings])),
    firesIn: waysOf(event),
    fields: Object.entries(fieldRules)
      .filter(([, rule]) => coversEvent(rule.in, event))
      .map(([name, { type, doc }]) => ({ name, type, doc })),
  }));

/** One column for each dialect that has names of its own; below each other where the terminal is too narrow for that. */
export function eventTable(colours: Colours, columns: number): string {
  const rows = eventRows();
  const named = dialectNames.filter((name, at) => rows.some(row => hasOwnName(row, name, dialectNames.slice(at + 1))));
  const lines = wideLines(rows, named, colours, columns) ?? narrowLines(rows, named, colours, columns);
  return `${[...lines, '', ...notes, '', ...wayLines(columns)].join('\n')}\n`;
}

/** A dialect that takes only our names and those of a later one needs no column. */
const hasOwnName = (
  { event, spellings }: ReturnType<typeof eventRows>[number],
  name: DialectName,
  later: readonly DialectName[],
): boolean =>
  spellings[name]!.some(spelling => spelling !== event && !later.some(other => spellings[other]!.includes(spelling)));

const notes = [
  '* has not happened yet: hooks may refuse it',
  'hookloop.yaml takes these names, and those of pipelines.',
  'Gates of sauna name no event: they are for task.completing.',
  'hookloop dispatch takes every name shown here.',
];

const titleOf = ({ event, pending }: EventRow): string => `${event}${pending ? ' *' : ''}`;

function wideLines(
  rows: readonly EventRow[],
  named: readonly DialectName[],
  colours: Colours,
  columns: number,
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
  colours: Colours,
  columns: number,
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
