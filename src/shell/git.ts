import { type Command, parseCommands } from './parse.ts';
import { gitCommandAt } from './roles/finder.ts';
import type { Reading } from './roles/reading.ts';
import { readRoles } from './roles/roles.ts';

const NESTING_LIMIT = 8;

/** The git commands a shell text runs (`commit`, `push`), each once, in order. Contract: never throws. */
export function gitCommands(text: string): string[] {
  const found = new Set<string>();
  collect(text, found, 0);
  return [...found];
}

function collect(text: string, found: Set<string>, depth: number): void {
  if (depth > NESTING_LIMIT) return;
  const parsed = parseCommands(text);
  for (const command of parsed.commands) {
    if (command.kind !== 'simple') continue;
    const reading = readRoles(command.words);
    for (const { program, at, end } of reading.runs) {
      const name = program === 'git' ? reading.words[gitCommandAt(reading, at, end)]?.text : undefined;
      if (name) found.add(name);
    }
    for (const inner of innerTexts(text, command, reading)) collect(inner, found, depth + 1);
  }
  for (const program of parsed.programs) collect(program, found, depth + 1);
}

/** Programs that a shell gets from this command: as arguments, or on stdin. */
function innerTexts(text: string, command: Command, reading: Reading): string[] {
  const codes = reading.shellCode.map(({ from, to }) => {
    const words = reading.words.slice(from, to);
    return words.map(word => word.text ?? text.slice(word.start, word.end).replace(/^"|"$/g, '')).join(' ');
  });
  if (reading.stdin !== 'shell') return codes;
  const input = command.redirections.findLast(({ operator }) => operator.startsWith('<<'));
  if (!input) return codes;
  return [...codes, input.body ? text.slice(input.body.start, input.body.end) : (input.target.text ?? '')];
}
