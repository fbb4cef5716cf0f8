import { oldSessions, type Removed, removeSession } from '../../app/remove-sessions.ts';
import { durationSeconds } from '../../model/duration.ts';
import { printable } from '../../model/index.ts';
import { counted } from '../../model/words.ts';
import { askYesNo, canAsk } from '../ask-yes-no.ts';
import { type Arguments, type CommandIo, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { jsonText } from '../print/text.ts';

/** `runs --remove`: sessions by name need no question, those of `--older` do. */
export async function removeRuns({ positionals, values, flags }: Arguments, io: CommandIo): Promise<number> {
  const older = values['older'];
  if ((older === undefined) === (positionals.length === 0))
    throw new UsageError('--remove needs the names of sessions, or --older with an age such as 30d');
  const names = older === undefined ? positionals : await oldSessions(io, ageOf(older), Date.now());
  if (older !== undefined && names.length > 0 && !flags.has('yes')) {
    if (flags.has('json') || !canAsk(io))
      throw new UsageError(
        `${counted(names.length, 'session')} would be removed and there is no one to ask: use --yes`,
      );
    io.err(names.map(name => `  ${name}\n`).join(''));
    if (!(await askYesNo(`Remove ${counted(names.length, 'session')}?`, io))) {
      io.err('Nothing was removed.\n');
      return exit.failed;
    }
  }
  const ends: Removed[] = [];
  for (const name of names) ends.push(await removeSession(name, io));
  if (flags.has('json'))
    io.out(
      jsonText({
        removed: ends.filter(isRemoved).map(({ session }) => session),
        kept: ends.filter(end => !isRemoved(end)),
      }),
    );
  else io.out(`Removed ${counted(ends.filter(isRemoved).length, 'session')}.\n`);
  for (const end of ends) {
    const why = whyOf(end);
    if (why !== undefined) io.err(printable(io.mask(`hookloop runs: ${why}\n`)));
    if (end.kind === 'removed' && end.forks)
      io.err(`Forks of ${end.session} stay: hookloop runs --remove ${end.forks.join(' ')} removes them.\n`);
  }
  if (ends.some(({ kind }) => kind === 'unknown')) return exit.usage;
  if (ends.some(({ kind }) => kind === 'busy')) return exit.busy;
  return ends.every(isRemoved) ? exit.done : exit.failed;
}

const isRemoved = ({ kind }: Removed): boolean => kind === 'removed';

function whyOf(end: Removed): string | undefined {
  switch (end.kind) {
    case 'removed':
      return end.remark === undefined
        ? undefined
        : `${end.session} is removed, but not all of its checkpoints: ${end.remark}`;
    case 'busy':
      return `session ${end.session} is running, so it stays: hookloop stop ${end.session} stops it`;
    case 'unknown':
      return `there is no session named ${end.session}; hookloop runs lists them`;
    case 'failed':
      return `${end.session}: ${end.why}`;
  }
}

function ageOf(written: string): number {
  const seconds = durationSeconds(written);
  if (seconds === undefined) throw new UsageError(`--older ${written}: write an age such as 12h or 30d`);
  return seconds * 1000;
}
