import { type Hole, holeIn } from './holes.ts';
import type { Command } from './parse.ts';
import type { Reading } from './roles/reading.ts';
import { substitutes } from './special.ts';

const readers = new Set(['.', 'source', 'read', 'mapfile', 'readarray', 'getopts']);
const setters = new Set(['set', 'declare', 'typeset', 'local', 'export', 'readonly']);

/**
 * Whether the text puts values where later commands find them: variables, positional parameters, a function's arguments.
 * `fed`: what a substitution prints may hold a value.
 */
export function carriesValues(
  commands: readonly Command[],
  readings: readonly Reading[],
  { text, holes, fed }: { text: string; holes: readonly Hole[]; fed: boolean },
): boolean {
  if (holes.length === 0) return false;
  if (/HOOK_\w/.test(text) || holes.some(({ variable }) => text.includes(variable))) return true;
  const holds = (range: { start: number; end: number }) =>
    holeIn(holes, range) !== undefined || (fed && substitutes(text.slice(range.start, range.end)));
  return commands.some((command, index) => {
    const { runs, assignments, words } = readings[index]!;
    return (
      command.kind === 'function' ||
      command.assignments.some(({ value }) => holds(value)) ||
      (command.kind === 'for' && command.words.some(holds)) ||
      assignments.some(place => holds(words[place]!)) ||
      runs.some(({ program }) => readers.has(program) || (setters.has(program) && command.words.some(holds)))
    );
  });
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
