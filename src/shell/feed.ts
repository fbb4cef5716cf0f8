import { type Hole, holeIn } from './holes.ts';
import type { Command, Word } from './parse.ts';
import type { Reading } from './roles/reading.ts';

/** Files that may hold values: by name, or where that is not known by how the name ends. */
export interface Written {
  names: ReadonlySet<string>;
  ends: ReadonlySet<string>;
}

const NAME_LIMIT = 100;
const outputs = new Set(['>', '>>', '>|', '&>', '&>>', '<>', '>&']);
const noFile = /^(\d+|-|\/dev\/(null|stdout|stderr|tty|fd\/\d+))$/;
const copiers = new Set('tee cp mv ln install dd rsync sponge split'.split(' '));
const inputs = new Set(['<', '<<', '<<-', '<<<', '<>']);

/** The files that values may be written to, besides those already known. With `carried` every command may write them. */
export function writtenFiles(
  commands: readonly Command[],
  readings: readonly Reading[],
  holes: readonly Hole[],
  { carried, written }: { carried: boolean; written?: Written },
): Written {
  const names = new Set(written?.names);
  const ends = new Set(written?.ends);
  for (const [index, command] of commands.entries()) {
    const mayHold = carried || holdsValue(command, holes);
    const files = mayHold ? command.redirections.filter(isOutput).map(({ target }) => target) : [];
    const copies = readings[index]!.runs.some(({ program }) => copiers.has(program));
    const isFed = mayHold || command.stage > 0 || names.size + ends.size > 0;
    if (copies && isFed) files.push(...command.words.slice(1));
    for (const { end, whole } of files.map(nameOf)) (whole ? names : ends).add(end);
  }
  return { names, ends };
}

const isOutput = ({ operator, target }: Command['redirections'][number]) =>
  outputs.has(operator) && !noFile.test(target.text ?? '');

function holdsValue({ kind, words, redirections, stage }: Command, holes: readonly Hole[]): boolean {
  if (kind === 'compound' || stage > 0) return true;
  return words.some(word => holeIn(holes, word)) || redirections.some(({ body }) => body && holeIn(holes, body));
}

/** They print all variables, those of the placeholders too. */
const dumps = /(^|\/)(env|printenv|set|export|declare|typeset|readonly|local)$/;

/** Whether values travel where a substitution could pick them up: pipes, here-documents, files, lists of variables. */
export function feedsValues(commands: readonly Command[], holes: readonly Hole[]): boolean {
  if (holes.length === 0) return false;
  return commands.some(
    ({ stage, words, redirections }) =>
      stage > 0 ||
      words.some(({ text }) => dumps.test(text ?? '') || text?.endsWith('/environ')) ||
      redirections.some(
        redirection =>
          isOutput(redirection) ||
          (inputs.has(redirection.operator) && holeIn(holes, redirection.body ?? redirection.target)),
      ),
  );
}

/** Whether the command runs a file that may hold a value. A file that a placeholder itself names is judged elsewhere. */
export function runsWritten(
  { words, scripts, stdin }: Reading,
  { redirections }: Command,
  written: Written,
  holes: readonly Hole[],
): boolean {
  if (written.names.size === 0 && written.ends.size === 0) return false;
  const read = stdin === 'no' ? [] : redirections.filter(({ operator }) => inputs.has(operator));
  const run = [...scripts.flatMap(index => words[index] ?? []), ...read.map(({ target }) => target)];
  return run.some(script => !holeIn(holes, script) && isAmong(script, written));
}

function isAmong(script: Word, { names, ends }: Written): boolean {
  if (names.size + ends.size > NAME_LIMIT) return true;
  const { end, whole } = nameOf(script);
  if (whole) return names.has(end) || [...ends].some(other => end.endsWith(other));
  return [...names].some(name => name.endsWith(end)) || [...ends].some(isEndOf(end));
}

const isEndOf = (one: string) => (other: string) => one.endsWith(other) || other.endsWith(one);

/** Folders do not count: the command may change its own. */
function nameOf({ text, suffix }: Pick<Word, 'text' | 'suffix'>): { end: string; whole: boolean } {
  const known = (text ?? suffix).replace(/^of=/, '');
  return { end: known.slice(known.lastIndexOf('/') + 1), whole: text !== undefined || suffix.includes('/') };
}
