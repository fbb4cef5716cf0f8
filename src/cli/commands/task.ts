import { changeTask, postTask, type TaskPost, tasksOf } from '../../app/ask-running-session.ts';
import { printable } from '../../model/index.ts';
import { didYouMean } from '../../model/nearest.ts';
import type { Task } from '../../model/record.ts';
import { type Arguments, type Command, type CommandIo, UsageError, withHint } from '../command.ts';
import { exit } from '../exit.ts';
import { sessionMeant } from '../find-session.ts';
import { InputError, type Io } from '../io.ts';
import { terminalOf } from '../print/paint.ts';
import { columnWidths, row } from '../print/table.ts';
import { cut, flat } from '../print/text.ts';
import { readText } from '../run/run-options.ts';

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
    const posted = word === 'post' ? readPost(args, io) : undefined;
    const wish = word === 'post' ? undefined : readWish(word, args);
    const work: Work = { session: await sessionMeant(args.values['session'], io), flags: args.flags, io };
    if (posted) return post(posted, work);
    return wish ? change(wish, work) : showTasks(work);
  },
};

interface Work {
  session: Awaited<ReturnType<typeof sessionMeant>>;
  flags: ReadonlySet<string>;
  io: CommandIo;
}

type Wish = Parameters<typeof changeTask>[0];

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
function readWish(word: Exclude<Word, 'post'>, { positionals: [, argument], values }: Arguments): Wish | undefined {
  const [summary, reason] = [only('summary', 'done'), only('reason', 'drop')];
  if (word === 'list') {
    if (argument !== undefined) throw new UsageError(`unexpected argument ${argument}`);
    return undefined;
  }
  if (argument === undefined || argument.trim() === '')
    throw new UsageError(
      word === 'add' ? 'TEXT is missing: what is to be done' : 'ID is missing: see hookloop task list',
    );
  if (word === 'add') return { kind: 'task.added', content: argument };
  if (word === 'start') return { kind: 'task.started', id: argument };
  return word === 'done'
    ? { kind: 'task.done', id: argument, ...(summary !== undefined && { summary }) }
    : { kind: 'task.dropped', id: argument, ...(reason !== undefined && { reason }) };

  function only(option: string, itsWord: Word): string | undefined {
    const value = values[option];
    if (value !== undefined && word !== itsWord) throw new UsageError(`--${option} belongs to task ${itsWord}`);
    return value;
  }
}

/** Tasks for people. Nothing is cut where there is no terminal: people search in it. */
function taskTable(tasks: readonly Task[], io: Io): string {
  const { columns, colours } = terminalOf(io, Number.POSITIVE_INFINITY);
  const rows = [['ID', 'STATUS', 'TASK'], ...tasks.map(({ id, status, content }) => [flat(id), status, flat(content)])];
  const widths = columnWidths(rows);
  const lines = rows.map((cells, at) => {
    const line = cut(row(cells, widths), columns);
    const isOver = cells[1] === 'done' || cells[1] === 'dropped';
    return at === 0 || isOver ? colours.dim(line) : line;
  });
  return `${lines.join('\n')}\n`;
}

async function showTasks({ session, flags, io }: Work): Promise<number> {
  const found = await tasksOf(session);
  if (found.kind !== 'tasks') return tellUnusable(found, session, io);
  const tasks = found.tasks.map(({ id, content, status }) => ({ id, content: io.mask(content), status }));
  if (found.warning !== undefined) say(io, `its checklist is left out: ${found.warning}`);
  if (flags.has('json')) io.out(`${JSON.stringify(tasks, null, 2)}\n`);
  else if (tasks.length === 0) say(io, `session ${session.name} has no tasks`);
  else io.out(taskTable(tasks, io));
  return exit.done;
}

const statusAfter = {
  'task.added': 'open',
  'task.started': 'started',
  'task.done': 'done',
  'task.dropped': 'dropped',
} as const satisfies Record<Wish['kind'], Task['status']>;

async function change(wish: Wish, { session, flags, io }: Work): Promise<number> {
  const changed = await changeTask(wish, session, io);
  if (changed.kind === 'refused') {
    say(io, changed.reason);
    return exit.refused;
  }
  if (changed.kind === 'unknown') {
    const id = wish.kind === 'task.added' ? '' : wish.id;
    throw new UsageError(withHint(`there is no task ${id} in session ${session.name}`, didYouMean(id, changed.ids)));
  }
  if (changed.kind !== 'recorded' && changed.kind !== 'unchanged') return tellUnusable(changed, session, io);
  const id = changed.kind === 'recorded' ? changed.record.id : (wish as { id: string }).id;
  const status = statusAfter[wish.kind];
  if (flags.has('json')) io.out(`${JSON.stringify({ id, status })}\n`);
  else if (wish.kind === 'task.added') io.out(`${id}\n`);
  else say(io, `${id} is ${status}${changed.kind === 'unchanged' ? ' already' : ''}`);
  if (changed.isAtRest && changed.kind === 'recorded' && wish.kind === 'task.done')
    say(io, 'no hooks fired: the session is not running; its gates run when it is resumed');
  return exit.done;
}

async function post(posted: TaskPost, { session, flags, io }: Work): Promise<number> {
  const { id, status } = posted;
  const reply = await postTask(posted, session, io);
  if (reply.kind === 'failed') return tellUnusable(reply, session, io);
  if (reply.kind !== 'ok') {
    const isGone = reply.kind === 'not-running';
    say(
      io,
      isGone ? `session ${session.name} is not running: task post is for its hooks, while it runs` : reply.reason,
    );
    return isGone ? exit.failed : exit.refused;
  }
  if (flags.has('json')) io.out(`${JSON.stringify({ id, status: status === 'ok' ? 'done' : 'failed' })}\n`);
  else say(io, `${id} ${status === 'ok' ? 'is done' : 'has failed'}`);
  return exit.done;
}

type Unusable = Exclude<Awaited<ReturnType<typeof tasksOf>>, { kind: 'tasks' }>;

function tellUnusable(unusable: Unusable, { name }: Work['session'], io: Io): number {
  if (unusable.kind === 'busy') {
    const who = unusable.pid === undefined ? 'another process' : `process ${unusable.pid}`;
    say(io, `session ${name} is busy: ${who} has it and cannot be asked`);
    return exit.busy;
  }
  const hint = unusable.kind === 'damaged' ? `; try: hookloop repair ${name}` : '';
  say(io, `session ${name}: ${unusable.reason}${hint}`);
  return unusable.kind === 'failed' ? exit.failed : exit.badInput;
}

const say = (io: Io, text: string): void => io.err(`hookloop task: ${printable(text)}\n`);
