import { stopRunning } from '../../app/ask-running-session.ts';
import type { StopAfter } from '../../model/control.ts';
import { printable } from '../../model/index.ts';
import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { runningSession, sessionNamed } from '../find-session.ts';
import { jsonText } from '../print/text.ts';

export const stop: Command = {
  name: 'stop',
  summary: 'Stop a running session so that it can be resumed',
  arguments: ['[SESSION]'],
  options: {
    after: { value: 'turn|task', doc: 'let the agent finish its turn or its task first (default: stop now)' },
  },
  example: 'hookloop stop tasks-20261115-221758 --after task',
  async run({ positionals, values, flags }, io) {
    const after = afterOf(values['after']);
    const [named] = positionals;
    const session = named === undefined ? await runningSession(undefined, io) : await sessionNamed(named, io);
    if (session === undefined) throw new UsageError('no session is running here; hookloop runs lists them');
    const stopped = await stopRunning(session, after);
    if (flags.has('json')) io.out(jsonText({ session: session.name, after, status: stopped.kind }));
    else if (stopped.kind === 'stopped')
      io.out(printable(`Session ${session.name} is stopped.\nContinue with: hookloop resume ${session.name}\n`));
    else if (stopped.kind === 'asked') io.out(printable(`Session ${session.name} ${willStop[after]}.\n`));
    if (stopped.kind === 'stopped' || stopped.kind === 'asked') return exit.done;
    const why = 'reason' in stopped ? stopped.reason : `session ${session.name} is not running`;
    io.err(printable(`hookloop stop: ${why}\n`));
    return exit.failed;
  },
};

function afterOf(written: string | undefined): StopAfter {
  if (written === undefined) return 'now';
  if (written === 'turn' || written === 'task') return written;
  throw new UsageError(`--after ${written}: write turn or task`);
}

const willStop: Readonly<Record<StopAfter, string>> = {
  now: 'is stopping: its last hooks are still running',
  turn: "stops after the agent's turn",
  task: 'stops after this task',
};
