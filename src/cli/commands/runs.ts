import { listSessions } from '../../app/sessions.ts';
import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { terminalOf } from '../print/paint.ts';
import { runsTable } from '../print/runs.ts';
import { jsonText } from '../print/text.ts';
import { removeRuns } from './remove-runs.ts';

export const runs: Command = {
  name: 'runs',
  summary: 'Show the sessions of this project, newest first, or remove some',
  arguments: ['[SESSION]...'],
  options: {
    remove: { doc: 'remove the named sessions with their files, checkpoints and worktrees' },
    older: { value: 'AGE', doc: 'with --remove: sessions that have been at rest for this long, such as 30d' },
    yes: { short: 'y', doc: 'with --older: do not ask' },
  },
  example: 'hookloop runs',
  async run(args, io) {
    const { flags, positionals, values } = args;
    if (flags.has('remove')) return removeRuns(args, io);
    if (positionals.length > 0 || values['older'] !== undefined)
      throw new UsageError(`use it with --remove; hookloop show ${positionals[0] ?? 'SESSION'} shows one session`);
    const nowMs = Date.now();
    const briefs = await listSessions(io, nowMs);
    if (flags.has('json')) io.out(jsonText(briefs));
    else if (briefs.length === 0) io.out('No session has run here yet; hookloop run starts one.\n');
    else io.out(`${runsTable(briefs, { ...terminalOf(io), nowMs, fullNames: true })}\n`);
    return exit.done;
  },
};
