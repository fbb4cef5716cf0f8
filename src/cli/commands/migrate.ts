import { type TakenAway, takeAway } from '../../app/migrate/take-away.ts';
import { type Migration, planMigration, writeMigration } from '../../app/migrate.ts';
import { describeProblem } from '../../model/index.ts';
import { type Command, type CommandIo, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { SystemError } from '../io.ts';
import { refuseAgents } from '../not-for-agents.ts';
import { unifiedDiff } from '../print/diff.ts';
import {
  brokenText,
  existsText,
  maskedText,
  mergeText,
  migrationJson,
  migrationText,
  nothingText,
  shownPath,
  writtenText,
} from '../print/migrate.ts';
import { problemPaint, terminalOf } from '../print/paint.ts';
import { jsonText } from '../print/text.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Write the hooks of other formats as a hookloop.yaml that decides the same',
  options: {
    write: { doc: 'write the file, where there is none' },
    remove: { doc: 'with --write: take the old hooks away' },
    user: { doc: 'your own hooks for all projects, as ~/.config/hookloop/hooks.yaml' },
  },
  example: 'hookloop migrate --write --remove',
  run({ flags }, io) {
    const isWrite = flags.has('write');
    if (flags.has('remove') && !isWrite) throw new UsageError('--remove needs --write');
    if (isWrite) refuseAgents('migrate --write', io);
    const plan = planMigration({ cwd: io.cwd, env: io.env }, { user: flags.has('user'), remove: flags.has('remove') });
    const isJson = flags.has('json');
    const result = isWrite ? write(plan, flags.has('remove'), io) : undefined;
    if (isJson) io.out(io.mask(jsonText(migrationJson(plan, result?.isWritten ?? false, result?.taken))));
    else show(plan, result, isWrite, io);
    return result?.code ?? (plan.broken.length > 0 ? exit.badConfig : exit.done);
  },
};

interface Result {
  code: number;
  isWritten: boolean;
  taken?: readonly TakenAway[];
}

function write(plan: Migration, removes: boolean, io: CommandIo): Result {
  if (plan.broken.length > 0) return { code: exit.badConfig, isWritten: false };
  if (plan.text === undefined) return { code: exit.done, isWritten: false };
  const isThere = plan.exists === 'other' || (plan.exists === 'same' && !removes);
  const written = isThere
    ? { kind: 'exists' as const }
    : plan.exists === 'same'
      ? { kind: 'written' as const }
      : writeMigration(plan);
  if (written.kind === 'failed') throw new SystemError(`nothing was written: ${plan.path}: ${written.reason}`);
  if (written.kind === 'exists') {
    io.err(existsText(plan.path, io.cwd));
    return { code: exit.failed, isWritten: false };
  }
  if (!removes) return { code: exit.done, isWritten: true };
  const taken = takeAway(plan, { cwd: io.cwd, env: io.env });
  return { code: taken.some(({ kind }) => kind === 'kept') ? exit.failed : exit.done, isWritten: true, taken };
}

function show(plan: Migration, result: Result | undefined, isWrite: boolean, io: CommandIo): void {
  const terminal = terminalOf(io, undefined, 'err');
  const tell = (text: string): void => io.err(io.mask(text));
  for (const problem of plan.broken) tell(`${describeProblem(problem, problemPaint(terminal.colours))}\n`);
  if (plan.broken.length > 0) tell(brokenText(isWrite));
  if (plan.text === undefined) tell(nothingText(plan));
  else if (!isWrite) {
    const isPerson = io.terminal('out').columns !== undefined;
    io.out(io.mask(isPerson ? unifiedDiff(shownPath(plan.path, io.cwd), undefined, plan.text) : plan.text));
    if (io.mask(plan.text) !== plan.text) tell(maskedText);
    if (plan.exists === 'other') tell(mergeText(plan, io.cwd));
  }
  if (plan.written.length + plan.left.length > 0) tell(migrationText(plan, terminal));
  if (result?.isWritten) tell(writtenText(plan, result.taken, io.cwd));
}
