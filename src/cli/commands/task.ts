import { didYouMean } from '../../config/nearest.ts';
import { createMask } from '../../secrets/mask.ts';
import { withHint } from '../arguments.ts';
import { type Arguments, type Command, UsageError } from '../command.ts';
import { chooseSession } from '../task-session.ts';
import { changeTasks, showTasks } from '../task-work.ts';

const words = ['add', 'list', 'start', 'done', 'drop'] as const;
type Word = (typeof words)[number];

export const task: Command = {
  name: 'task',
  summary: "Add, list, start, finish or drop a session's tasks",
  arguments: [words.join('|'), '[TEXT or ID]'],
  options: {
    session: {
      value: 'NAME',
      doc: 'default: $HOOKLOOP_SESSION, else the only session that runs, else the only one',
    },
    summary: { value: 'TEXT', doc: 'done: what was done. Hooks may refuse it; they fire only while the session runs' },
    reason: { value: 'TEXT', doc: 'drop: why' },
  },
  example: 'hookloop task add "write the changelog"',
  run(args, io) {
    const word = knownWord(args.positionals[0]!);
    const wish = readWish(word, args);
    const work = {
      session: chooseSession(args.values['session'], io),
      flags: args.flags,
      mask: createMask(io.env),
      io,
    };
    return wish ? changeTasks(wish, work) : showTasks(work);
  },
};

function knownWord(given: string): Word {
  const known = words.find(word => word === given);
  if (known) return known;
  throw new UsageError(withHint(`task ${given} is unknown: ${words.join(', ')}`, didYouMean(given, words)));
}

/** Undefined for `list`. */
function readWish(word: Word, { positionals: [, argument], values }: Arguments) {
  const [summary, reason] = [only('summary', 'done'), only('reason', 'drop')];
  if (word === 'list') {
    if (argument !== undefined) throw new UsageError(`unexpected argument ${argument}`);
    return undefined;
  }
  if (argument === undefined || argument.trim() === '')
    throw new UsageError(
      word === 'add' ? 'TEXT is missing: what is to be done' : 'ID is missing: see hookloop task list',
    );
  if (word === 'add') return { kind: 'task.added' as const, content: argument };
  if (word === 'start') return { kind: 'task.started' as const, id: argument };
  return word === 'done'
    ? { kind: 'task.done' as const, id: argument, ...(summary !== undefined && { summary }) }
    : { kind: 'task.dropped' as const, id: argument, ...(reason !== undefined && { reason }) };

  function only(option: string, itsWord: Word): string | undefined {
    const value = values[option];
    if (value !== undefined && word !== itsWord) throw new UsageError(`--${option} belongs to task ${itsWord}`);
    return value;
  }
}
