import { type LogEnd, type LogOptions, type NamedSession, readLog, tasksIn } from '../../app/sessions.ts';
import { printable, printableJson } from '../../model/index.ts';
import { createLogFilter, type LogKind, logKinds } from '../../model/log-filter.ts';
import { didYouMean } from '../../model/nearest.ts';
import type { StoredEntry } from '../../model/record.ts';
import { type Command, UsageError, withHint } from '../command.ts';
import { exit } from '../exit.ts';
import { sessionOrLast } from '../find-session.ts';
import type { Io } from '../io.ts';
import { createLogLines } from '../print/log.ts';
import { terminalOf } from '../print/paint.ts';
import { watchSignals } from '../signals.ts';

export const log: Command = {
  name: 'log',
  summary: 'Show all that happened in a session: events, agent, tools, hooks and their output',
  arguments: ['[SESSION]'],
  options: {
    follow: { short: 'f', doc: 'keep printing until the session ends' },
    only: { value: 'KINDS', doc: `only these, separated by commas: ${logKinds.join(', ')}` },
    task: { value: 'N', doc: 'only what belongs to one task, by its number in the list or its id' },
    raw: { doc: 'the records of the journal as they are, one JSON object a line' },
    hooks: { doc: 'the same as --only hooks' },
  },
  streams: true,
  example: 'hookloop log release-20260824-101500 --follow',
  async run({ positionals, flags, values }, io) {
    const kinds = flags.has('hooks') ? ['hooks' as const] : readKinds(values['only']);
    const session = await sessionOrLast(positionals[0], io);
    const { name } = session;
    const task = values['task'] === undefined ? undefined : await taskNamed(session, values['task']);
    const isWanted = createLogFilter({ kinds, task });
    const lines = createLogLines(name, terminalOf(io), isWanted);
    const out = createBatch(io.out);
    const told = toldTo(flags, isWanted, lines, out.add);
    const tell = (text: string): void => io.err(`hookloop log: ${printable(text)}\n`);
    const interruption = flags.has('follow') ? watchSignals() : undefined;
    const onDeserted = (): void => tell(`no one is working on ${name} now; hookloop resume ${name} continues it`);
    const follow = interruption && { onDeserted, signal: interruption.signal };
    try {
      const end = await readLog(session, io, { ...told, follow });
      out.flush();
      return interruption?.exitCode() ?? codeFor(end, name, tell);
    } catch (error) {
      if (error instanceof Unread) return exit.done;
      throw error;
    }
  },
};

/** What hears of entries, by what is to be printed. */
function toldTo(
  flags: ReadonlySet<string>,
  isWanted: (entry: StoredEntry) => boolean,
  lines: (entry: StoredEntry) => string[],
  add: (lines: readonly string[]) => void,
): Pick<LogOptions, 'onEntry' | 'onLogEntry'> {
  if (flags.has('raw')) return { onEntry: entry => void (isWanted(entry) && add([printableJson(entry)])) };
  if (!flags.has('json')) return { onEntry: entry => add(lines(entry)) };
  let wanted = false;
  return {
    onEntry(entry) {
      wanted = isWanted(entry);
    },
    onLogEntry: entry => wanted && add([printableJson(entry)]),
  };
}

function readKinds(text: string | undefined): readonly LogKind[] | undefined {
  return text?.split(',').map(word => {
    const kind = logKinds.find(known => known === word.trim());
    if (kind) return kind;
    const hint = didYouMean(word.trim(), logKinds);
    throw new UsageError(withHint(`--only ${word.trim()} is unknown: ${logKinds.join(', ')}`, hint));
  });
}

async function taskNamed(session: NamedSession, word: string): Promise<string> {
  const tasks = await tasksIn(session);
  const found = tasks.find(({ id }) => id === word) ?? tasks[Number(word) - 1];
  if (found) return found.id;
  const { name } = session;
  const known = tasks.length === 0 ? 'it has none' : `it has 1 to ${tasks.length}; hookloop show ${name} lists them`;
  throw new UsageError(`there is no task ${word} in session ${name}: ${known}`);
}

/** Ends the reading of a journal that no one wants to see more of. */
class Unread extends Error {}

function codeFor(end: LogEnd, name: string, tell: (text: string) => void): number {
  switch (end.kind) {
    case 'read':
      return exit.done;
    case 'empty':
      tell(`nothing is written yet: ${name} is just starting, or its start was cut short`);
      return exit.done;
    case 'damaged':
      tell(`journal.jsonl:${end.damage.line}: ${end.damage.reason}; hookloop repair ${name} shows what can be kept`);
      return exit.badInput;
    case 'unreadable':
      tell(`journal.jsonl cannot be read: ${end.reason}`);
      return exit.badInput;
    case 'lost':
      tell(end.reason);
      return exit.badInput;
  }
}

const batchLength = 64 * 1024;

/** One write for many lines: a large journal has hundreds of thousands. What is left goes out when nothing follows at once. */
function createBatch(write: Io['out']): { add(lines: readonly string[]): void; flush(): void } {
  let waiting = '';
  let isUnread = false;
  const flush = (): void => {
    if (waiting !== '') isUnread = write(waiting) === 'unread';
    waiting = '';
  };
  return {
    add(lines) {
      if (waiting === '' && lines.length > 0) setImmediate(flush);
      for (const line of lines) waiting += `${line}\n`;
      if (waiting.length > batchLength) flush();
      if (isUnread) throw new Unread();
    },
    flush,
  };
}
