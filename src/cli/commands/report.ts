import { shadowRefusals } from '../../app/shadow-report.ts';
import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { sessionNamed } from '../find-session.ts';
import { terminalOf } from '../print/paint.ts';
import { shadowText } from '../print/shadow.ts';
import { jsonText } from '../print/text.ts';

export const report: Command = {
  name: 'report',
  summary: 'Report what hooks in shadow would have refused, in one session or in all',
  arguments: ['[SESSION]'],
  options: { shadow: { doc: 'what hooks with mode: shadow would have refused' } },
  example: 'hookloop report --shadow',
  async run({ positionals, flags }, io) {
    if (!flags.has('shadow'))
      throw new UsageError('say what to report: --shadow lists what hooks in shadow would have refused');
    const session = positionals[0] === undefined ? undefined : await sessionNamed(positionals[0], io);
    const refusals = await shadowRefusals(session, io);
    io.out(flags.has('json') ? jsonText({ refusals }) : shadowText(refusals, session?.name, terminalOf(io)));
    return exit.done;
  },
};
