import { version } from '../platform/build.ts';
import { type Command, commonOptions, type Option, streamedJson } from './command.ts';

export function commandHelp(command: Command): string {
  const usage = ['hookloop', command.name, ...(command.arguments ?? []), '[OPTIONS]'].join(' ');
  return [
    command.summary,
    '',
    `Usage: ${usage}`,
    '',
    'Options:',
    ...optionLines({ ...command.options, ...commonOptions, ...(command.streams && { json: streamedJson }) }),
    '',
    'Example:',
    `  ${command.example}`,
    '',
  ].join('\n');
}

export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `hookloop ${version}: hooks for agent loops`,
    '',
    'Usage: hookloop COMMAND [OPTIONS]',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'hookloop COMMAND --help shows options and an example.',
    '',
  ].join('\n');
}

function optionLines(options: Readonly<Record<string, Option>>): string[] {
  const rows = Object.entries(options).map(
    ([name, { value, short, doc }]) =>
      [`${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`, doc] as const,
  );
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, doc]) => `  ${left.padEnd(width)}  ${doc}`);
}
