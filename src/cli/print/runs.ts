import type { SessionBrief, StageView } from '../../model/view.ts';
import { hookCounts, shortDuration, whenWords } from '../../model/words.ts';
import { painted, type Style, type Terminal } from './paint.ts';
import { columnWidths, gap, row, totalWidth } from './table.ts';
import { cut, flat, pad, textWidth } from './text.ts';

export interface RunsTableOptions extends Terminal {
  nowMs: number;
  /** Sessions have their parents' names in front, as commands take them. */
  fullNames?: boolean;
}

/** Sessions for people, children below their parents. Names are never cut: people type them. */
export function runsTable(briefs: readonly SessionBrief[], options: RunsTableOptions): string {
  const full = layoutOf(briefs, options, hookCounts);
  const { rows, facts, room } = full.isTight ? layoutOf(briefs, options, shortHookCounts) : full;
  const names = ['SESSION', ...rows.map(one => one.name)].map(textWidth).filter(width => width <= room);
  const widths = [Math.max(7, ...names), ...facts];
  const rest = options.columns - totalWidth(widths) - gap.length;
  const heading = row(['SESSION', ...factHeadings, rest >= minPipeline ? 'PIPELINE' : ''], widths);
  return [options.colours.dim(heading), ...rows.flatMap(one => linesOf(one, widths, rest, options))].join('\n');
}

interface Layout {
  rows: readonly Row[];
  /** Widths of the columns behind the name, and what they leave for it. */
  facts: readonly number[];
  room: number;
  /** Some name gets no place beside its facts. */
  isTight: boolean;
}

function layoutOf(
  briefs: readonly SessionBrief[],
  options: RunsTableOptions,
  counts: (brief: SessionBrief) => string,
): Layout {
  const rows = briefs.flatMap(brief => rowsOf(brief, options, counts, 0));
  const facts = columnWidths([factHeadings, ...rows.map(one => one.facts)]);
  const room = options.columns - totalWidth(facts) - gap.length;
  return { rows, facts, room, isTight: rows.some(({ name }) => textWidth(name) > room) };
}

interface Row {
  brief: SessionBrief;
  name: string;
  indent: string;
  facts: readonly string[];
}

const factHeadings = ['STATUS', 'STARTED', 'TOOK', 'ITER', 'TASKS', 'HOOKS'];
const minPipeline = 8;

function rowsOf(
  brief: SessionBrief,
  options: RunsTableOptions,
  counts: (brief: SessionBrief) => string,
  depth: number,
): Row[] {
  const { session, status, startedAt, durationMs, iterations, tasksTotal, tasksDone } = brief;
  const indent = '  '.repeat(depth);
  const isKnown = startedAt !== undefined;
  const facts = [
    status,
    whenWords(startedAt, options.nowMs) || '-',
    isKnown ? shortDuration(durationMs) : '-',
    isKnown ? String(iterations) : '-',
    tasksTotal > 0 ? `${tasksDone} of ${tasksTotal}` : '-',
    isKnown ? counts(brief) : '-',
  ];
  const own = session.slice(session.lastIndexOf('/') + 1);
  const top = options.fullNames ? session : own;
  const name = depth === 0 ? top : `${indent.slice(2)}└ ${own}`;
  const below = brief.children.flatMap(child => rowsOf(child, options, counts, depth + 1));
  return [{ brief, name, indent, facts }, ...below];
}

/** A name that is too wide for its column stands on a line of its own. */
function linesOf(
  { brief, name, indent, facts }: Row,
  widths: readonly number[],
  rest: number,
  { colours, columns }: RunsTableOptions,
): string[] {
  const fits = textWidth(name) <= widths[0]!;
  const pipeline = rest >= minPipeline ? cut(flat(brief.pipeline), rest) : '';
  const paint = (cell: string, column: number): string => {
    if (column === 0) return colours.bold(cell);
    return column === 1 ? painted(cell, stateStyles[brief.status], colours) : cell;
  };
  const main = row([fits ? name : pad('', widths[0]!), ...facts, pipeline], widths, paint);
  const reason = brief.reason === undefined ? '' : cut(flat(brief.reason), columns - indent.length - 2);
  return [...(fits ? [] : [colours.bold(name)]), main, ...(reason === '' ? [] : [`${indent}  ${colours.dim(reason)}`])];
}

/** `12, 3 bad`: for where the counts in words are too wide. */
function shortHookCounts({ hookRuns, hooksFailed, hooksRefused }: SessionBrief): string {
  const bad = hooksFailed + hooksRefused;
  return bad === 0 ? String(hookRuns) : `${hookRuns}, ${bad} bad`;
}

/** How a word is painted, by how well things stand. */
export const stateStyles: Partial<Record<SessionBrief['status'] | StageView['status'], Style>> = {
  failed: 'red',
  damaged: 'red',
  lost: 'red',
  interrupted: 'yellow',
  crashed: 'yellow',
  running: 'cyan',
  waiting: 'dim',
  skipped: 'dim',
};
