import { type Colours, painted, type Style, type Terminal } from '../../print/paint.ts';
import { cut, folded, textWidth } from '../../print/text.ts';
import type { Mark, Told } from '../../print/told.ts';

/** A piece of a line in one style. The one that is `flexible` gives way where the line is too long. */
export interface Span {
  text: string;
  style?: Style;
  flexible?: true;
}

export const span = (text: string, style?: Style): Span => (style === undefined ? { text } : { text, style });
export const flexible = (text: string, style?: Style): Span => ({ ...span(text, style), flexible: true });

/** The line in at most `columns` columns: cut before it is painted, so that no style stays open. */
export function paintLine(spans: readonly Span[], columns: number, colours: Colours): string {
  const excess = spans.reduce((sum, { text }) => sum + textWidth(text), 0) - columns;
  let room = columns;
  let line = '';
  for (const { text, style, flexible: gives } of spans) {
    const wanted = gives && excess > 0 ? cut(text, Math.max(minFlexible, textWidth(text) - excess)) : text;
    const shown = cut(wanted, room);
    room -= textWidth(shown);
    line += painted(shown, style, colours);
    if (room <= 0) break;
  }
  return line.trimEnd();
}

const minFlexible = 4;

type Shown = Terminal & { symbols: Symbols };

/** A thing that happened, as the lines that stay above the live area. */
export function lastingLines(told: Told, shown: Shown): readonly string[] {
  if (told.mark === 'said') return saidLines(told, shown);
  const { mark, text, position = '', aside, details = [], isShort } = told;
  const { columns, colours, symbols } = shown;
  const head = position === '' ? '' : `${position}  `;
  // Of what the words do not say only what `why` takes is worth a line of its own.
  const [id = ''] = /#\d+$/.exec(aside ?? '') ?? [];
  const asides = [aside ?? '', id].map(each => (each === '' ? '' : `  ${each}`));
  const most = textWidth(isShort ? asides[0]! : '');
  const room = columns - 3 - textWidth(head);
  const indent = ' '.repeat(2 + indentFor(head, columns));
  const [first = '', ...rest] = isShort ? [cut(text, room - most)] : folded(text, room);
  const wrapped = rest.length === 0 ? [] : folded(rest.join(' '), columns - 1 - indent.length).slice(0, maxLines);
  const lines = [
    `${painted(symbols.marks[mark], markStyles[mark], colours)} ${colours.dim(head)}${first}`,
    ...wrapped.map(line => `${indent}${line}`),
  ];
  const beside = asides.find(each => textWidth(lines.at(-1)!) + textWidth(each) < columns);
  return [
    ...lines.slice(0, -1),
    `${lines.at(-1)}${colours.dim(beside ?? '')}`,
    ...(beside === undefined ? [`${indent}${colours.dim(id)}`] : []),
    ...details.map(line => `${indent}  ${colours.dim(cut(line, columns - 3 - indent.length))}`),
  ];
}

/** What the agent says stands in a block of its own, indented as it is. */
function saidLines({ text, position = '', continues = false }: Told, { columns, colours }: Shown): readonly string[] {
  const head = `${position === '' ? '' : `${position}  `}${speaker}`;
  const indent = 2 + indentFor(head, columns);
  const own = Math.min(/^ */.exec(text)![0].length, Math.floor(columns / 4));
  const lines = folded(text.trim(), columns - 1 - indent - own);
  const kept = lines.length > maxSaidLines ? [...lines.slice(0, maxSaidLines - 1), '…'] : lines;
  const isApart = indent - 2 < textWidth(head);
  return [
    ...(isApart && !continues ? [`  ${colours.dim(head.trimEnd())}`] : []),
    ...kept.map((line, at) =>
      at === 0 && !continues && !isApart
        ? `  ${colours.dim(head)}${' '.repeat(own)}${line}`
        : `${' '.repeat(indent + own)}${line}`,
    ),
  ];
}

const speaker = 'agent: ';

/** On a narrow terminal a deep indent would leave no room for the text. */
const indentFor = (head: string, columns: number): number => (textWidth(head) * 4 > columns ? 2 : textWidth(head));

const maxLines = 4;
const maxSaidLines = 12;

const markStyles = {
  begun: 'dim',
  done: 'cyan',
  failed: 'red',
  refused: 'yellow',
  asked: 'yellow',
  note: 'dim',
  said: 'dim',
} as const;

export interface Symbols {
  marks: Readonly<Record<Mark, string>>;
  spinner: readonly string[];
  dot: string;
}

/** The console of Linux has neither Braille nor the heavier signs. */
export const symbolsFor = (term: string | undefined): Symbols => (term === 'linux' ? plain : fine);

const fine: Symbols = {
  marks: { begun: '·', done: '✓', failed: '✗', refused: '⊘', asked: '?', note: '·', said: ' ' },
  spinner: [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'],
  dot: '·',
};

const plain: Symbols = {
  marks: { begun: '-', done: '+', failed: 'x', refused: '!', asked: '?', note: '-', said: ' ' },
  spinner: [...'|/-\\'],
  dot: '-',
};
