import { answerQuestion } from '../../app/approvals.ts';
import type { RunningSession } from '../../app/run-session.ts';
import type { NotStarted, SessionPorts } from '../../app/session-ports.ts';
import { describeProblem } from '../../model/index.ts';
import { type CommandIo, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import type { Io } from '../io.ts';
import { flat } from '../print/text.ts';
import { watchSignals } from '../signals.ts';
import { createWatcher, watchMode } from '../view/watcher.ts';
import { runOptions } from './run-options.ts';

/** Runs a session in front of a person, to its exit code. */
export async function playSession(
  command: 'run' | 'resume',
  flags: ReadonlySet<string>,
  io: CommandIo,
  start: (ports: SessionPorts) => Promise<RunningSession | NotStarted>,
): Promise<number> {
  const { mask } = io;
  const mode = watchMode(flags, io);
  const stopping = watchSignals();
  const started = await start({
    ...{ cwd: io.cwd, env: io.env, mask, stop: stopping.signal, atOnce: stopping.atOnce },
    program: process.argv[1]!,
    onProblem: problem => io.err(`${mask(describeProblem(problem))}\n`),
    onRemark: text => io.err(`hookloop: ${flat(text)}\n`),
    async watch({ name, plan, settings, stopWish, mask: ofSession }) {
      const watcher = await createWatcher(mode, io, ofSession, {
        stages: plan.stages.map(({ id }) => id),
        askPermission: settings.permissions === 'ask',
        answer: (id, action, message) => answerHere(io, id, action, message),
        stop: stopWish.want,
      });
      stopping.onFirst(() =>
        watcher.remark({ level: 'warning', text: 'ending the session; press again to end it at once' }),
      );
      stopping.onSecond(() => io.err(`Continue with: hookloop resume ${name}\n`));
      return watcher;
    },
  });
  if (started.kind === 'not-started') return tellNotStarted(command, started, io);
  const { status, because } = await started.result;
  if (status === 'interrupted') return stopping.exitCode() ?? exit.failed;
  if (because === 'agent-unavailable') return exit.noAgent;
  if (because === 'taken') return exit.busy;
  return status === 'completed' ? exit.done : exit.failed;
}

function tellNotStarted(command: string, { why, text, about }: NotStarted, io: CommandIo): number {
  if (why === 'usage') throw new UsageError(about === undefined ? text : inOptions[about](text));
  const isHeld = why === 'untrusted' ? 'nothing was run: ' : '';
  io.err(`hookloop ${command}: ${isHeld}${io.mask(text)}\n`);
  return codes[why];
}

/** What programs that use the library call otherwise. */
const inOptions: Readonly<Record<NonNullable<NotStarted['about']>, (text: string) => string>> = {
  name: text => `--session: ${text}`,
  tasks: text => `--tasks: ${text}`,
  agent: () => `no agent: give --agent (${runOptions.agent.doc}), or write agent: in hookloop.yaml`,
};

const codes: Readonly<Record<Exclude<NotStarted['why'], 'usage'>, number>> = {
  'bad-config': exit.badConfig,
  'no-agent': exit.noAgent,
  untrusted: exit.refused,
  exists: exit.usage,
  absent: exit.usage,
  busy: exit.busy,
  damaged: exit.badInput,
  finished: exit.done,
  lost: exit.badInput,
  failed: exit.failed,
};

/** The person at the terminal answers with a key. */
async function answerHere({ env }: Io, id: string, action: 'approve' | 'reject', message: string): Promise<void> {
  const answered = await answerQuestion(env, id, { action, message, where: 'at the terminal' });
  if (answered.kind === 'unknown') throw new Error('it is no longer asked');
  if (answered.kind === 'settled-otherwise') throw new Error('it has already been settled');
}
