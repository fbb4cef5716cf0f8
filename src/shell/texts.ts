import { flowIn, nowhere, runsWritten, substitutes } from './flow.ts';
import { codeCommands, dataPrograms, interpreters, plainPrograms } from './roles/programs.ts';
import { type Reading, type ReadText, withoutVersion } from './roles/reading.ts';
import { readText } from './roles/roles.ts';
import type { Word } from './syntax/scan.ts';

export { baseName } from './roles/reading.ts';
export type { Reading, Word };

/** A shell text, and what its commands do with their words. */
export interface ShellText extends ReadText {
  /** It is, or may be, program text of another language: `patterns` are those of awk and sed. */
  language?: 'code' | 'patterns' | undefined;
}

/** What could not be read of a text. */
export const restOf = ({ text, stopped }: ShellText): string => (stopped === undefined ? '' : text.slice(stopped));

interface ShellTexts {
  texts: readonly ShellText[];
  /** False where it holds more than is read. */
  isWhole: boolean;
}

const NESTING_LIMIT = 8;
/** Texts inside texts could multiply: so many times its own length is read. */
const EFFORT = 6;

/**
 * A shell text and all that it holds: `sh -c '...'`, `eval`, backquotes, program text, here-documents that something may
 * run. `printed`: also what commands print where something runs what it reads. Contract: never throws.
 */
export function readTexts(script: string, how?: 'printed'): ShellTexts {
  const found: ShellText[] = [];
  const seen = new Set<string>();
  let left = script.length * EFFORT + 10_000;
  let layer: Inner[] = [{ text: script }];
  for (let depth = 0; layer.length > 0; depth++) {
    if (depth > NESTING_LIMIT) return { texts: found, isWhole: false };
    const next: Inner[] = [];
    for (const { text, language } of layer) {
      if (seen.has(text)) continue;
      seen.add(text);
      left -= text.length;
      if (left < 0) return { texts: found, isWhole: false };
      const read = { ...readText(text), language };
      found.push(read);
      for (const program of read.programs) next.push({ text: program });
      addInner(read, next);
      if (how === 'printed' && runsPrinted(read)) addPrinted(read, next);
    }
    layer = next;
  }
  return { texts: found, isWhole: true };
}

type Inner = Pick<ShellText, 'text' | 'language'>;

function addInner(read: ShellText, next: Inner[]): void {
  const { commands } = read;
  for (const { words, marks, shellCode } of commands) {
    for (const { from, to } of shellCode)
      next.push({
        text: words
          .slice(from, to)
          .map(word => writtenIn(read, word))
          .join(' '),
      });
    for (const { index, role, program } of marks) {
      const text = role === 'code' ? words[index]?.text : undefined;
      const language = languageOf(program);
      // What is known to be program text is a text of its own where it has more than one word.
      if (text !== undefined && (language || /\s/.test(text)))
        next.push({ text: text.replace(/^--[\w-]+=/, ''), language });
    }
  }
  const language = readLanguage(read);
  if (commands.some(({ stdin }) => stdin !== 'no'))
    for (const command of commands) for (const text of fedTexts(read, command)) next.push({ text, language });
}

function languageOf(program: string): ShellText['language'] {
  const known = interpreters.get(program) ?? interpreters.get(withoutVersion(program));
  if (known) return known.program ? 'patterns' : 'code';
  return codeCommands.has(program) ? 'code' : undefined;
}

/** Of what programs read from stdin. */
function readLanguage({ commands }: ShellText): ShellText['language'] {
  const kinds = new Set(commands.map(({ stdin }) => stdin));
  return !kinds.has('shell') && (kinds.has('other') || kinds.has('maybe')) ? 'code' : undefined;
}

/** Whether something runs what it gets from a pipe, or a file that the text writes. */
function runsPrinted(read: ShellText): boolean {
  const flow = flowIn(read, [], { ...nowhere, carried: true });
  return read.commands.some(command => {
    const { stage, stdin, redirections } = command;
    const isFed = stage > 0 || redirections.some(({ target }) => substitutes(sliceOf(read.text, target)));
    return (isFed && stdin !== 'no') || runsWritten(command, [], flow);
  });
}

function addPrinted(read: ShellText, next: Inner[]): void {
  const language = readLanguage(read);
  for (const { words, redirections } of read.commands) {
    const printed = words.slice(1).map(word => word.text ?? sliceOf(read.text, word));
    next.push({ text: printed.join(' ').replaceAll('\\n', '\n'), language });
    for (const { body, target } of redirections)
      next.push({ text: body ? sliceOf(read.text, body) : (target.text ?? ''), language });
  }
}

/** Here-documents and here-strings of a command. */
export const fedTexts = (read: ShellText, { redirections }: Reading): string[] =>
  redirections.flatMap(({ operator, target, body }) => {
    if (body) return [sliceOf(read.text, body)];
    return operator === '<<<' ? [writtenIn(read, target)] : [];
  });

/** Only the quotes around a word go: those inside a substitution belong to it. */
const writtenIn = ({ text }: ShellText, word: Word): string =>
  word.text ?? sliceOf(text, word).replace(/^"([\s\S]*)"$/, (_whole, inner: string) => inner);

const sliceOf = (text: string, { start, end }: { start: number; end: number }): string =>
  start < 0 ? '' : text.slice(start, end);

/** Names that stand for a command from now on, and what they stand for: `alias p='git push'`. */
export function aliasesIn(texts: readonly ShellText[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { commands } of texts)
    for (const { words, runs } of commands)
      if (runs.some(({ program }) => program === 'alias'))
        for (const { text = '' } of words) {
          const [, name, value] = /^([\w-]+)=(.*)$/.exec(text) ?? [];
          if (name !== undefined) found.set(name, value!);
        }
  return found;
}

/** Those that stand for a program: `alias g=git`. */
export const aliasesOf = (texts: readonly ShellText[], isProgram: (word: string) => boolean): ReadonlySet<string> =>
  new Set([...aliasesIn(texts)].flatMap(([name, value]) => (isProgram(value) ? [name] : [])));

/** Whether a command only reads, prints or moves its words, and starts none of them. */
export const startsNothing = ({ runs }: Reading): boolean =>
  runs.length > 0 && runs.every(({ program }) => plainPrograms.has(program) || program === 'printf');

/** Whether a command reads, writes or asks about the files that it names: they change with the work, and are not run. */
export const takesData = ({ runs, scripts }: Reading): boolean =>
  runs.length > 0 &&
  runs.every(({ program, at }) => !scripts.includes(at) && (plainPrograms.has(program) || dataPrograms.has(program)));
