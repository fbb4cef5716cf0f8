import type { Colours } from './paint.ts';
import { columnWidths, cut, gap, textWidth, totalWidth } from './table.ts';

export interface Column<Row> {
  title: string;
  /** The title where room is short. */
  short?: string;
  cell(row: Row): string;
  style?(row: Row): keyof Colours | undefined;
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
  { colours, columns: width }: { colours: Colours; columns: number },
): readonly string[] {
  if (rows.length === 0) return [];
  const layout = layoutFor(rows, columns, width - indent.length);
  const line = (cells: readonly string[], paint: (cell: string, at: number) => string): string =>
    `${indent}${cells
      .map((cell, at) => {
        const shown = cut(cell, layout.widths[at]!);
        const space = layout.widths[at]! - textWidth(shown);
        if (layout.columns[at]!.right) return ' '.repeat(space) + paint(shown, at);
        return at === cells.length - 1 ? paint(shown, at) : paint(shown, at) + ' '.repeat(space);
      })
      .join(layout.gap)}`.trimEnd();
  return [
    line(layout.titles, title => colours.dim(title)),
    ...rows.map(row =>
      line(
        layout.columns.map(column => column.cell(row)),
        (cell, at) => {
          const style = layout.columns[at]!.style?.(row);
          return style === undefined ? cell : colours[style](cell);
        },
      ),
    ),
  ];
}

const indent = '  ';
/** A name of fewer columns says nothing. */
const minGrowing = 12;

interface Layout<Row> {
  columns: readonly Column<Row>[];
  titles: readonly string[];
  widths: readonly number[];
  gap: string;
}

function layoutFor<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): Layout<Row> {
  const ranks = [...new Set(columns.map(({ optional = 0 }) => optional))].sort((a, b) => b - a);
  for (const rank of ranks) {
    const kept = columns.filter(({ optional = 0 }) => optional <= rank);
    const layout = measured(rows, kept, false);
    if (overflow(layout, width) <= spare(layout)) return fitted(layout, width);
  }
  return fitted(
    measured(
      rows,
      columns.filter(({ optional }) => optional === undefined),
      true,
    ),
    width,
  );
}

function measured<Row>(rows: readonly Row[], columns: readonly Column<Row>[], isShort: boolean): Layout<Row> {
  const titles = columns.map(({ title, short }) => (isShort ? (short ?? title) : title));
  const widths = columnWidths([titles, ...rows.map(row => columns.map(({ cell }) => cell(row)))]);
  return { columns, titles, widths, gap: isShort ? ' ' : gap };
}

const overflow = <Row>(layout: Layout<Row>, width: number): number =>
  totalWidth(layout.widths) - (gap.length - layout.gap.length) * (layout.widths.length - 1) - width;

const spare = <Row>({ columns, widths }: Layout<Row>): number =>
  Math.max(0, ...columns.map(({ grows }, at) => (grows ? widths[at]! - minGrowing : 0)));

const fitted = <Row>(layout: Layout<Row>, width: number): Layout<Row> => ({
  ...layout,
  widths: layout.widths.map((wanted, at) =>
    layout.columns[at]!.grows ? Math.max(4, wanted - Math.max(0, overflow(layout, width))) : wanted,
  ),
});
