import { changeTask, postTask, type TaskPost, tasksOf } from '../../app/ask-running-session.ts';
import { printable } from '../../model/index.ts';
import { didYouMean } from '../../model/nearest.ts';
import type { Task } from '../../model/record.ts';
import { type Arguments, type Command, type CommandIo, UsageError, withHint } from '../command.ts';
import { exit } from '../exit.ts';
import { sessionMeant } from '../find-session.ts';
import { InputError, type Io } from '../io.ts';
import { type Style, terminalOf } from '../print/paint.ts';
import { type Column, tableLines } from '../print/table.ts';
import { flat, jsonText } from '../print/text.ts';
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
      doc: 'default: $HOOKLOOP_SESSION, else the only running session, else the only one',
    },
    summary: {
      value: 'TEXT',
      doc: 'done: what was done (hooks may refuse it; they fire only while the session is running)',
    },
    reason: { value: 'TEXT', doc: 'drop: why' },
    status: {
      value: 'ok|error',
      doc: 'post: a hook did the task itself (its gates run, then it is done), or could not',
    },
    value: { value: 'JSON', doc: 'post: the result, for hooks of task.completed' },
    'value-file': { value: 'FILE', doc: 'post: the same from a file' },
    error: { value: 'TEXT', doc: 'post: why it could not' },
  },
  example: 'hookloop task add "write the changelog"',
  async run(args, io) {
    const word = knownWord(args.positionals[0]!);
    const act = acts[word](args, io);
    return act({ session: await sessionMeant(args.values['session'], io), isJson: args.flags.has('json'), io });
  },
};

function knownWord(given: string): Word {
  const known = words.find(word => word === given);
  if (known) return known;
  throw new UsageError(withHint(`task ${given} is unknown: ${words.join(', ')}`, didYouMean(given, words)));
}

interface Work {
  session: Awaited<ReturnType<typeof sessionMeant>>;
  isJson: boolean;
  io: CommandIo;
}

/** What each word does with a session. What was typed is checked before a session is looked for. */
const acts: Readonly<Record<Word, (args: Arguments, io: Io) => (work: Work) => Promise<number>>> = {
  add: args => change({ kind: 'task.added', content: argumentOf('add', args) }),
  list({ positionals: [, extra], values }) {
    checkOptions('list', values);
    if (extra !== undefined) throw new UsageError(`unexpected argument ${extra}`);
    return showTasks;
  },
  start: args => change({ kind: 'task.started', id: argumentOf('start', args) }),
  done: args => change({ kind: 'task.done', id: argumentOf('done', args), ...given('summary', args) }),
  drop: args => change({ kind: 'task.dropped', id: argumentOf('drop', args), ...given('reason', args) }),
  post: (args, io) => post(readPost(args, io)),
};

function checkOptions(word: Word, values: Arguments['values']): void {
  for (const [option, itsWord] of [['summary', 'done'] as const, ['reason', 'drop'] as const])
    if (values[option] !== undefined && word !== itsWord)
      throw new UsageError(`--${option} belongs to task ${itsWord}`);
}

function argumentOf(word: Word, { positionals: [, argument], values }: Arguments): string {
  checkOptions(word, values);
  if (argument !== undefined && argument.trim() !== '') return argument;
  throw new UsageError(word === 'add' ? 'TEXT is missing: what is to be done' : idMissing);
}

const idMissing = 'ID is missing: see hookloop task list';

const given = (option: string, { values }: Arguments): Readonly<Record<string, string>> =>
  values[option] === undefined ? {} : { [option]: values[option] };

/** What `post` asks of the session. */
function readPost(args: Arguments, io: Io): TaskPost {
  const { status, value, error, 'value-file': file } = args.values;
  const id = args.positionals[1];
  if (id === undefined || id.trim() === '') throw new UsageError(idMissing);
  if (status !== 'ok' && status !== 'error') throw new UsageError('task post needs --status ok or --status error');
  if (value !== undefined && file !== undefined) throw new UsageError('give --value or --value-file, not both');
  if (status === 'ok' && error !== undefined) throw new UsageError('--error belongs to --status error');
  if (status === 'error' && (value ?? file) !== undefined) throw new UsageError('--value belongs to --status ok');
  const json = file === undefined ? value : readText(file, io, '--value-file');
  if (json !== undefined) checkJson(json, file === undefined ? '--value' : `--value-file ${file}`);
  return { method: 'task.post', id, status, ...(json !== undefined && { value: json }), ...given('error', args) };
}

function checkJson(text: string, where: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new InputError(`${where}: not valid JSON: ${(error as Error).message}`);
  }
}

async function showTasks({ session, isJson, io }: Work): Promise<number> {
  const found = await tasksOf(session);
  if (found.kind !== 'tasks') return tellUnusable(found, session, io);
  const tasks = found.tasks.map(({ id, content, status }) => ({ id, content: io.mask(content), status }));
  if (found.warning !== undefined) say(io, `its checklist is left out: ${found.warning}`);
  if (isJson) io.out(jsonText(tasks));
  else if (tasks.length === 0) say(io, `session ${session.name} has no tasks`);
  // Nothing is cut where there is no terminal: people search in it.
  else io.out(`${tableLines(tasks, columns, terminalOf(io, Number.POSITIVE_INFINITY)).join('\n')}\n`);
  return exit.done;
}

const style = ({ status }: Pick<Task, 'status'>): Style | undefined =>
  status === 'done' || status === 'dropped' ? 'dim' : undefined;

const columns: readonly Column<Pick<Task, 'id' | 'status' | 'content'>>[] = [
  { title: 'ID', cell: ({ id }) => flat(id), style },
  { title: 'STATUS', cell: ({ status }) => status, style },
  { title: 'TASK', cell: ({ content }) => flat(content), style, grows: true },
];

type Wish = Parameters<typeof changeTask>[0];

const statusAfter = {
  'task.added': 'open',
  'task.started': 'started',
  'task.done': 'done',
  'task.dropped': 'dropped',
} as const satisfies Record<Wish['kind'], Task['status']>;

function change(wish: Wish): (work: Work) => Promise<number> {
  return async ({ session, isJson, io }) => {
    const changed = await changeTask(wish, session, io);
    if (changed.kind === 'refused') {
      say(io, changed.reason);
      return exit.refused;
    }
    const named = wish.kind === 'task.added' ? '' : wish.id;
    if (changed.kind === 'unknown')
      throw new UsageError(
        withHint(`there is no task ${named} in session ${session.name}`, didYouMean(named, changed.ids)),
      );
    if (changed.kind !== 'recorded' && changed.kind !== 'unchanged') return tellUnusable(changed, session, io);
    const id = changed.kind === 'recorded' ? changed.record.id : named;
    const status = statusAfter[wish.kind];
    if (isJson) io.out(`${JSON.stringify({ id, status })}\n`);
    else if (wish.kind === 'task.added') io.out(`${id}\n`);
    else say(io, `${id} is ${changed.kind === 'unchanged' ? 'already ' : ''}${status}`);
    if (changed.isAtRest && changed.kind === 'recorded' && wish.kind === 'task.done')
      say(io, 'no hooks fired: the session is not running; its gates run when it is resumed');
    return exit.done;
  };
}

function post(posted: TaskPost): (work: Work) => Promise<number> {
  const { id, status } = posted;
  return async ({ session, isJson, io }) => {
    const reply = await postTask(posted, session, io);
    switch (reply.kind) {
      case 'failed':
        return tellUnusable(reply, session, io);
      case 'not-running':
        say(io, `session ${session.name} is not running: task post is for its hooks, while it runs`);
        return exit.failed;
      case 'refused':
        say(io, reply.reason);
        return exit.refused;
    }
    if (isJson) io.out(`${JSON.stringify({ id, status: status === 'ok' ? 'done' : 'failed' })}\n`);
    else say(io, `${id} ${status === 'ok' ? 'is done' : 'has failed'}`);
    return exit.done;
  };
}

type Unusable = Exclude<Awaited<ReturnType<typeof tasksOf>>, { kind: 'tasks' }>;

function tellUnusable(unusable: Unusable, { name }: Work['session'], io: Io): number {
  if (unusable.kind === 'busy') {
    const who = unusable.pid === undefined ? 'another process' : `process ${unusable.pid}`;
    say(io, `session ${name} is busy: ${who} is using it and cannot be asked`);
    return exit.busy;
  }
  const hint = unusable.kind === 'damaged' ? `; try: hookloop repair ${name}` : '';
  say(io, `session ${name}: ${unusable.reason}${hint}`);
  return unusable.kind === 'failed' ? exit.failed : exit.badInput;
}

const say = (io: Io, text: string): void => io.err(`hookloop task: ${printable(text)}\n`);
