import { version } from '../platform/build.ts';
import { type Command, commonOptions, type Option, streamedJson } from './command.ts';
import type { Terminal } from './print/paint.ts';
import { pad, wrap } from './print/text.ts';

/** Commands that belong together, under what they are for. */
export interface CommandGroup {
  title: string;
  commands: readonly Command[];
}

export function commandHelp(command: Command, { colours, columns }: Terminal): string {
  const usage = ['hookloop', command.name, ...(command.arguments ?? []), '[OPTIONS]'].join(' ');
  const width = readable(columns);
  return [
    ...hanging(command.summary, 0, width),
    '',
    ...hanging(`Usage: ${usage}`, 2, width).map(line => line.replace(/^Usage:/, colours.bold)),
    '',
    colours.bold('Options:'),
    ...rows(
      optionCells({ ...command.options, ...commonOptions, ...(command.streams && { json: streamedJson }) }),
      width,
    ),
    '',
    colours.bold('Example:'),
    // A line that is copied must stay one line.
    `  ${command.example}`,
    '',
  ].join('\n');
}

export function overview(groups: readonly CommandGroup[], { colours, columns }: Terminal): string {
  const width = readable(columns);
  const left = Math.max(...groups.flatMap(({ commands }) => commands.map(({ name }) => name.length)));
  return [
    `hookloop ${version}: hooks for agent loops`,
    '',
    `${colours.bold('Usage:')} hookloop COMMAND [OPTIONS]`,
    ...groups.flatMap(({ title, commands }) => [
      '',
      colours.bold(title),
      ...rows(
        commands.map(({ name, summary }) => [name, summary] as const),
        width,
        left,
      ),
    ]),
    '',
    ...hanging('hookloop COMMAND --help shows options and an example.', 0, width),
    '',
  ].join('\n');
}

/** Longer lines are hard to read, however wide the terminal is. What is no terminal has no width: people search in it. */
const readable = (columns: number): number => (columns > unbounded ? columns : Math.min(columns, 100));
const unbounded = 1000;

const optionCells = (options: Readonly<Record<string, Option>>): (readonly [string, string])[] =>
  Object.entries(options).map(([name, { value, short, doc }]) => [
    `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
    doc,
  ]);

/** Too little room for a text beside a name. */
const leastRoom = 24;
const indent = 2;

/** Names and what is said about them, side by side where there is room for it, else one below the other. */
function rows(
  cells: readonly (readonly [string, string])[],
  width: number,
  least = Math.max(...cells.map(([name]) => name.length)),
): string[] {
  const start = indent + least + 2;
  const isBeside = width - start >= leastRoom;
  return cells.flatMap(([name, doc]) =>
    isBeside
      ? hanging(`${' '.repeat(indent)}${pad(name, least)}  ${doc}`, start, width)
      : [`${' '.repeat(indent)}${name}`, ...hanging(`${' '.repeat(3 * indent)}${doc}`, 3 * indent, width)],
  );
}

/** The text on lines of at most `width` columns; those after the first begin at `start`. */
function hanging(text: string, start: number, width: number): string[] {
  const head = text.slice(0, start);
  const [first = '', ...rest] = wrap(text.slice(start).split(' '), Math.max(1, width - start), ' ');
  return [head + first, ...rest.map(line => ' '.repeat(start) + line)].map(line => line.trimEnd());
}
