import type { Task } from '../model/record.ts';
import type { Colours } from './print/paint.ts';
import { columnWidths, row } from './print/table.ts';
import { cut, flat } from './print/text.ts';

/** Tasks for people. Nothing is cut where `columns` is undefined: people search in it. */
export function taskTable(
  tasks: readonly Task[],
  { colours, columns = Number.POSITIVE_INFINITY }: { colours: Colours; columns: number | undefined },
): string {
  const rows = [['ID', 'STATUS', 'TASK'], ...tasks.map(({ id, status, content }) => [flat(id), status, flat(content)])];
  const widths = columnWidths(rows);
  const lines = rows.map((cells, at) => {
    const line = cut(row(cells, widths), columns);
    const isOver = cells[1] === 'done' || cells[1] === 'dropped';
    return at === 0 || isOver ? colours.dim(line) : line;
  });
  return `${lines.join('\n')}\n`;
}
