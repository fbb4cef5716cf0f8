import { listSessions } from '../../app/sessions.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { terminalOf } from '../print/paint.ts';
import { runsTable } from '../print/runs.ts';
import { jsonText } from '../print/text.ts';

export const runs: Command = {
  name: 'runs',
  summary: 'Show the sessions of this project, newest first',
  example: 'hookloop runs',
  async run({ flags }, io) {
    const nowMs = Date.now();
    const briefs = await listSessions(io, nowMs);
    if (flags.has('json')) io.out(jsonText(briefs));
    else if (briefs.length === 0) io.out('No session has run here yet; hookloop run starts one.\n');
    else io.out(`${runsTable(briefs, { ...terminalOf(io), nowMs, fullNames: true })}\n`);
    return exit.done;
  },
};
