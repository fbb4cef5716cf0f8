/** A place in a file; lines and columns count from 1. `lineText` and `length` draw the caret line. */
export interface Position {
  file: string;
  line: number;
  column: number;
  lineText?: string;
  length?: number;
}

/** Something wrong with a hook file, said so that its author can fix it. */
export interface Problem {
  severity: 'error' | 'warning';
  message: string;
  /** What to write instead. */
  hint?: string;
  at: Position;
  /** The broken thing is or may be a gate: `run` and `dispatch` do nothing until it is fixed. */
  refuses: boolean;
}

/** `file:line:col: error: ...`, the line with a caret under the place, and the hint. */
export function describeProblem({ severity, message, hint, at }: Problem, paint: Paint = plain): string {
  const head = `${paint.place(`${printable(at.file)}:${at.line}:${at.column}`)}: ${paint[severity](severity)}: ${printable(message)}`;
  const lines = at.lineText === undefined || at.lineText.trim() === '' ? [] : caretLines(at, at.lineText, paint);
  return [head, ...lines, ...(hint ? [`  ${paint.hint('hint:')} ${printable(hint)}`] : [])].join('\n');
}

/** The same in one line. */
export const problemLine = ({ severity, message, hint, at }: Problem): string =>
  printable(
    `${at.file}:${at.line}:${at.column}: ${severity}: ${message}${hint ? ` (${hint})` : ''}`.replaceAll(/\s+/g, ' '),
  );

/** The errors, a line for each file: for places where they are told with every event. */
export function errorLines(problems: readonly Problem[]): string[] {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const files = [...new Set(errors.map(({ at }) => at.file))];
  return files.map(file => {
    const [first, ...more] = errors.filter(({ at }) => at.file === file);
    return `${problemLine(first!)}${more.length === 0 ? '' : `; ${more.length} more: hookloop check`}`;
  });
}

export type Paint = Readonly<Record<'place' | 'error' | 'warning' | 'caret' | 'hint', (text: string) => string>>;

const plain: Paint = { place: same, error: same, warning: same, caret: same, hint: same };

function same(text: string): string {
  return text;
}

const shownWidth = 100;

/** A long line is shown around the caret; tabs keep their width in the caret line. */
function caretLines({ line, column, length = 1 }: Position, lineText: string, paint: Paint): string[] {
  const from = column > shownWidth - 20 ? column - 40 : 0;
  const shown = printable(lineText.slice(from, from + shownWidth));
  const before = [...lineText.slice(from, column - 1)].map(char => (char === '\t' ? '\t' : ' ')).join('');
  const carets = '^'.repeat(Math.max(1, Math.min(length, shown.length - before.length)));
  const gutter = String(line);
  return [
    `  ${gutter} | ${from > 0 ? '...' : ''}${shown}`,
    `  ${' '.repeat(gutter.length)} | ${from > 0 ? '   ' : ''}${before}${paint.caret(carets)}`,
  ];
}

/** Foreign text must not be able to send control sequences to the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** JSON for a terminal as well: what a terminal could take for a command stands as an escape, which means the same. */
export const printableJson = (value: unknown, space?: number): string =>
  JSON.stringify(value, null, space).replaceAll(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
