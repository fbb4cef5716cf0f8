import type { Position, Problem } from '../model/index.ts';
import { type Flaw, type Located, placeInScalar, type Span } from './located.ts';

/** Collects the problems of one file and knows where its lines are. */
export interface Report {
  readonly problems: readonly Problem[];
  error(span: Span, message: string, hint?: string): void;
  warning(span: Span, message: string, hint?: string): void;
  flaw(flaw: Flaw, severity?: Problem['severity']): void;
  position(span: Span): Position;
  /** Where a part of a text stands; the whole of it where that cannot be told. */
  partOf(node: Located, part: { offset: number; length: number }): Span;
  /** The same report for an entry that is or may be a gate (or is surely none). */
  refusing(refuses: boolean): Report;
}

export function createReport(file: string, text: string, refuses: boolean): Report {
  const problems: Problem[] = [];
  const told = new Set<string>();
  const position = createPositions(file, text);
  const reportFor = (refusing: boolean): Report => {
    const add = (severity: Problem['severity'], span: Span, message: string, hint?: string): void => {
      const at = position(span);
      // An entry may be read more than once (as a whole, then field by field); its author hears of it once.
      const key = `${at.line}:${at.column} ${message}`;
      if (told.has(key)) return;
      told.add(key);
      problems.push({
        severity,
        message,
        ...(hint !== undefined && { hint }),
        at,
        refuses: severity === 'error' && refusing,
      });
    };
    return {
      problems,
      error: (span, message, hint) => add('error', span, message, hint),
      warning: (span, message, hint) => add('warning', span, message, hint),
      flaw: (flaw, severity = 'error') => add(severity, flaw.span, flaw.message, flaw.hint),
      position,
      partOf: (node, part) => placeInScalar(text, node, part),
      refusing: reportFor,
    };
  };
  return reportFor(refuses);
}

/** A problem of a whole file that has no place inside it. */
export const fileProblem = (file: string, message: string, refuses: boolean, hint?: string): Problem => ({
  severity: 'error',
  message,
  ...(hint !== undefined && { hint }),
  at: { file, line: 1, column: 1 },
  refuses,
});

function createPositions(file: string, text: string): (span: Span) => Position {
  let starts: number[] | undefined;
  return ({ start, end }) => {
    starts ??= lineStarts(text);
    const offset = Math.min(Math.max(start, 0), text.length);
    let line = upperBound(starts, offset) - 1;
    // A flaw at the very end of a file points behind the last line that has something on it.
    if (line > 0 && offset === text.length && starts[line] === text.length) line -= 1;
    const from = starts[line]!;
    const lineText = text.slice(from, lineEnd(text, from));
    const column = Math.min(offset - from, lineText.length) + 1;
    const length = Math.max(1, Math.min(end - start, lineText.length - column + 1));
    return { file, line: line + 1, column, lineText, length };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function lineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  const end = newline === -1 ? text.length : newline;
  return text[end - 1] === '\r' ? end - 1 : end;
}

function upperBound(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
