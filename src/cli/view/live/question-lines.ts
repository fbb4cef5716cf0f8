import { shortened } from '../../print/foreign.ts';
import type { Question } from './questions.ts';
import { type Span, span } from './span.ts';
import { folded, width } from './width.ts';

/** A question, how to answer it, and how many more there are. */
export function questionLines(
  { kind, id, text }: Question,
  others: number,
  { columns, withKeys }: { columns: number; withKeys: boolean },
): Span[][] {
  const asked = folded(text, Math.max(10, columns - 5)).slice(0, maxQuestionLines);
  const command = span(`hookloop approve ${shortened(id)}`, 'dim');
  const keys = withKeys ? keyHints[kind] : [];
  const room = columns - 5 - [...keys, command].reduce((sum, { text: shown }) => sum + width(shown), 0);
  const hints =
    kind === 'permission'
      ? [keys]
      : room >= 3
        ? [[...keys, ...(withKeys ? [span('   ')] : []), command]]
        : [keys, [command]];
  return [
    [],
    ...asked.map((line, at) => [span(at === 0 ? '  ? ' : '    ', 'yellow'), span(line, 'yellow')]),
    ...hints.filter(hint => hint.length > 0).map(hint => [span('    '), ...hint]),
    ...(others > 0 ? [[span(`    ${others} more ${others === 1 ? 'waits' : 'wait'}`, 'dim')]] : []),
  ];
}

const keyHints: Readonly<Record<Question['kind'], readonly Span[]>> = {
  approval: [span('a', 'bold'), span(' approve   ', 'dim'), span('r', 'bold'), span(' reject', 'dim')],
  permission: [span('y', 'bold'), span(' allow   ', 'dim'), span('n', 'bold'), span(' refuse', 'dim')],
};

const maxQuestionLines = 4;
