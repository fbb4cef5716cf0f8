import { version } from '../platform/build.ts';
import { type Command, commonOptions, type Option, streamedJson } from './command.ts';
import type { Terminal } from './print/paint.ts';
import { hanging, rows } from './print/rows.ts';

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
