import { createMask } from '../../hooks/secrets/mask.ts';
import { didYouMean } from '../../model/nearest.ts';
import { type Arguments, type Command, UsageError, withHint } from '../command.ts';
import { InputError, type Io } from '../io.ts';
import { readText } from '../run/request.ts';
import { chooseSession } from '../task-session.ts';
import { changeTasks, postTask, showTasks, type TaskPost } from '../task-work.ts';

const words = ['add', 'list', 'start', 'done', 'drop', 'post'] as const;
type Word = (typeof words)[number];

export const task: Command = {
  name: 'task',
  summary: "Add, list, start, finish, drop or post a session's tasks",
  arguments: [words.join('|'), '[TEXT or ID]'],
  options: {
    session: {
      value: 'NAME',
      doc: 'default: $HOOKLOOP_SESSION, else the only session that runs, else the only one',
    },
    summary: { value: 'TEXT', doc: 'done: what was done. Hooks may refuse it; they fire only while the session runs' },
    reason: { value: 'TEXT', doc: 'drop: why' },
    status: {
      value: 'ok|error',
      doc: 'post: a hook did the task itself (its gates run, then it is done), or could not',
    },
    value: { value: 'JSON', doc: 'post: what it has made, for hooks of task.completed' },
    'value-file': { value: 'FILE', doc: 'post: the same from a file' },
    error: { value: 'TEXT', doc: 'post: why it could not' },
  },
  example: 'hookloop task add "write the changelog"',
  async run(args, io) {
    const word = knownWord(args.positionals[0]!);
    const post = word === 'post' ? readPost(args, io) : undefined;
    const wish = post ? undefined : readWish(word as Exclude<Word, 'post'>, args);
    const work = {
      session: await chooseSession(args.values['session'], io),
      flags: args.flags,
      mask: createMask(io.env),
      io,
    };
    if (post) return postTask(post, work);
    return wish ? changeTasks(wish, work) : showTasks(work);
  },
};

function knownWord(given: string): Word {
  const known = words.find(word => word === given);
  if (known) return known;
  throw new UsageError(withHint(`task ${given} is unknown: ${words.join(', ')}`, didYouMean(given, words)));
}

/** What `post` asks of the session. */
function readPost({ positionals: [, id], values }: Arguments, io: Io): TaskPost {
  const { status, value, error } = values;
  const file = values['value-file'];
  if (id === undefined || id.trim() === '') throw new UsageError('ID is missing: see hookloop task list');
  if (status !== 'ok' && status !== 'error') throw new UsageError('task post needs --status ok or --status error');
  if (value !== undefined && file !== undefined) throw new UsageError('give --value or --value-file, not both');
  if (status === 'ok' && error !== undefined) throw new UsageError('--error belongs to --status error');
  if (status === 'error' && (value ?? file) !== undefined) throw new UsageError('--value belongs to --status ok');
  const json = file === undefined ? value : readText(file, io, '--value-file');
  if (json !== undefined) checkJson(json, file === undefined ? '--value' : `--value-file ${file}`);
  return {
    method: 'task.post',
    id,
    status,
    ...(json !== undefined && { value: json }),
    ...(error !== undefined && { error }),
  };
}

function checkJson(text: string, where: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new InputError(`${where}: not valid JSON: ${(error as Error).message}`);
  }
}

/** Undefined for `list`. */
function readWish(word: Exclude<Word, 'post'>, { positionals: [, argument], values }: Arguments) {
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
