import { type Hole, holeIn } from './holes.ts';
import type { Command } from './parse.ts';
import type { Reading } from './roles/reading.ts';

const carriers = new Set([
  'set',
  '.',
  'source',
  'read',
  'mapfile',
  'readarray',
  'getopts',
  'declare',
  'typeset',
  'local',
  'export',
  'readonly',
]);

/** Whether the text puts values where later commands find them: variables, positional parameters, a function's arguments. */
export function carriesValues(
  commands: readonly Command[],
  readings: readonly Reading[],
  holes: readonly Hole[],
): boolean {
  if (holes.length === 0) return false;
  return commands.some(
    (command, index) =>
      command.kind === 'function' ||
      command.assignments.some(({ value }) => holeIn(holes, value)) ||
      (command.kind === 'for' && command.words.some(word => holeIn(holes, word))) ||
      readings[index]!.assignments.length > 0 ||
      readings[index]!.runs.some(({ program }) => carriers.has(program)),
  );
}

/** The first of these variables that the text itself sets: its placeholder would no longer stand for the value. */
export function overwritten(
  commands: readonly Command[],
  text: string,
  variables: readonly string[],
): string | undefined {
  return variables.find(
    variable =>
      new RegExp(`\\$\\{${variable}:?=`).test(text) ||
      commands.some(
        ({ assignments, words }) =>
          assignments.some(({ name }) => name === variable) ||
          words.some(
            ({ text: word }) => word === variable || word?.startsWith(`${variable}=`) || word === `-v${variable}`,
          ),
      ),
  );
}
