import { taskCountWords } from '../../model/task-count.ts';
import type { SessionBrief, StageView } from '../../model/view.ts';
import { hookCounts, pauseWords, shortDuration, whenWords } from '../../model/words.ts';
import { painted, type Style, type Terminal } from './paint.ts';
import { columnWidths, gap, largest, row, totalWidth } from './table.ts';
import { cut, flat, pad, textWidth } from './text.ts';

export interface RunsTableOptions extends Terminal {
  nowMs: number;
  /** Sessions have their parents' names in front, as commands take them. */
  fullNames?: boolean;
}

/** Sessions for people, children below their parents. Names are never cut: people type them. */
export function runsTable(briefs: readonly SessionBrief[], options: RunsTableOptions): string {
  const { columns, colours, nowMs, fullNames = false } = options;
  const rows = briefs.flatMap(brief => rowsOf(brief, fullNames, ''));
  const nameWidths = rows.map(({ name }) => textWidth(name));
  const layouts = [hookCounts, shortHookCounts].map(counts => {
    const facts = rows.map(({ brief }) => factsOf(brief, counts(brief), nowMs));
    const widths = columnWidths([factHeadings, ...facts]);
    return { facts, widths, room: columns - totalWidth(widths) - gap.length };
  });
  // Counts in words are given up where some name gets no place beside its facts.
  const { facts, widths: behind, room } = layouts.find(layout => largest(nameWidths) <= layout.room) ?? layouts[1]!;
  const widths = [largest([7, ...nameWidths.filter(width => width <= room)]), ...behind];
  const rest = columns - totalWidth(widths) - gap.length;
  const heading = row(['SESSION', ...factHeadings, rest >= minPipeline ? 'PIPELINE' : ''], widths);
  const lines = rows.flatMap((one, at) => linesOf({ ...one, facts: facts[at]! }, widths, rest, options));
  return [colours.dim(heading), ...lines].join('\n');
}

const factHeadings = ['STATUS', 'STARTED', 'TOOK', 'ITER', 'TASKS', 'HOOKS'];
const minPipeline = 8;

interface Row {
  brief: SessionBrief;
  name: string;
  indent: string;
}

function rowsOf(brief: SessionBrief, fullName: boolean, indent: string): Row[] {
  const own = brief.session.slice(brief.session.lastIndexOf('/') + 1);
  const top = fullName ? brief.session : own;
  const name = indent === '' ? top : `${indent.slice(2)}└ ${own}`;
  return [{ brief, name, indent }, ...brief.children.flatMap(child => rowsOf(child, fullName, `${indent}  `))];
}

function factsOf(brief: SessionBrief, hooks: string, nowMs: number): string[] {
  const { status, startedAt, durationMs, iterations } = brief;
  const known = (fact: string): string => (startedAt === undefined ? '-' : fact);
  return [
    status,
    whenWords(startedAt, nowMs) || '-',
    known(shortDuration(durationMs)),
    known(String(iterations)),
    brief.tasksTotal > 0 ? taskCountWords(brief, false) : '-',
    known(hooks),
  ];
}

/** A name that is too wide for its column stands on a line of its own. */
function linesOf(
  { brief, name, indent, facts }: Row & { facts: readonly string[] },
  widths: readonly number[],
  rest: number,
  { colours, columns, nowMs }: RunsTableOptions,
): string[] {
  const fits = textWidth(name) <= widths[0]!;
  const pipeline = rest >= minPipeline ? cut(flat(brief.pipeline), rest) : '';
  const paint = (cell: string, column: number): string => {
    if (column === 0) return colours.bold(cell);
    return column === 1 ? painted(cell, stateStyles[brief.status], colours) : cell;
  };
  const main = row([fits ? name : pad('', widths[0]!), ...facts, pipeline], widths, paint);
  const paused = brief.paused && `paused ${pauseWords(brief.paused, nowMs)}`;
  const said = [brief.reason, paused].filter(text => text !== undefined).join('; ');
  const reason = cut(flat(said), columns - indent.length - 2);
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
  stopped: 'yellow',
  interrupted: 'yellow',
  crashed: 'yellow',
  running: 'cyan',
  waiting: 'dim',
  skipped: 'dim',
};
