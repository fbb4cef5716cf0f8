import { painted, type Style, type Terminal } from './paint.ts';
import { cut, pad, textWidth } from './text.ts';

/** One line: cells padded to their columns, nothing behind the last one. `paint` gets the padded text. */
export function row(
  cells: readonly string[],
  widths: readonly number[],
  paint: (cell: string, column: number) => string = cell => cell,
): string {
  const last = cells.findLastIndex(cell => cell !== '');
  return cells
    .slice(0, last + 1)
    .map((cell, column) => paint(column === last ? cell : pad(cell, widths[column]!), column))
    .join(gap);
}

export const gap = '  ';

/** The width of the widest cell of each column. */
export const columnWidths = (rows: readonly (readonly string[])[]): number[] =>
  (rows[0] ?? []).map((_, column) => largest(rows.map(cells => textWidth(cells[column]!))));

/** Without a limit on how many: the arguments of a call have one. */
export const largest = (numbers: readonly number[]): number =>
  numbers.reduce((most, number) => Math.max(most, number), 0);

export const totalWidth = (widths: readonly number[], between = gap): number =>
  widths.reduce((sum, width) => sum + width, 0) + between.length * Math.max(0, widths.length - 1);

export interface Column<Row> {
  title: string;
  /** The title where room is short. */
  short?: string;
  cell(row: Row): string;
  style?(row: Row): Style | undefined;
  right?: true;
  /** Left out where room is short, highest first. */
  optional?: number;
  /** Takes what room is left, and is cut to it. */
  grows?: true;
}

/** A table with a heading that fits the terminal: it gives up columns, then shortens titles, then cuts its first one. */
export function tableLines<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { colours, columns: width }: Terminal,
): readonly string[] {
  if (rows.length === 0) return [];
  const { shown, titles, widths, between } = layoutFor(rows, columns, width);
  const line = (cells: readonly string[], paint: (cell: string, at: number) => string): string =>
    cells
      .map((cell, at) => {
        const text = cut(cell, widths[at]!);
        const space = ' '.repeat(widths[at]! - textWidth(text));
        return shown[at]!.right ? space + paint(text, at) : paint(text, at) + space;
      })
      .join(between)
      .trimEnd();
  return [
    line(titles, colours.dim),
    ...rows.map(row =>
      line(
        shown.map(({ cell }) => cell(row)),
        (cell, at) => painted(cell, shown[at]!.style?.(row), colours),
      ),
    ),
  ];
}

/** A name of fewer columns says nothing. */
const minGrowing = 12;

interface Layout<Row> {
  shown: readonly Column<Row>[];
  titles: readonly string[];
  widths: readonly number[];
  between: string;
  fits: boolean;
}

function layoutFor<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): Layout<Row> {
  const ranks = [...new Set(columns.map(({ optional = 0 }) => optional))].sort((a, b) => b - a);
  const upTo = (rank: number): Column<Row>[] => columns.filter(({ optional = 0 }) => optional <= rank);
  return (
    ranks.map(rank => layoutOf(rows, upTo(rank), width, false)).find(({ fits }) => fits) ??
    layoutOf(rows, upTo(0), width, true)
  );
}

function layoutOf<Row>(
  rows: readonly Row[],
  shown: readonly Column<Row>[],
  width: number,
  isShort: boolean,
): Layout<Row> {
  const titles = shown.map(({ title, short }) => (isShort ? (short ?? title) : title));
  const wanted = columnWidths([titles, ...rows.map(row => shown.map(({ cell }) => cell(row)))]);
  const between = isShort ? ' ' : gap;
  const excess = Math.max(0, totalWidth(wanted, between) - width);
  const spare = largest(shown.map(({ grows }, at) => (grows ? wanted[at]! - minGrowing : 0)));
  const widths = wanted.map((each, at) => (shown[at]!.grows ? Math.max(4, each - excess) : each));
  return { shown, titles, widths, between, fits: excess <= spare };
}
