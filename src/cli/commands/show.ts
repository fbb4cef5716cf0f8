import { viewSession } from '../../app/sessions.ts';
import { printable } from '../../model/index.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { sessionOrLast } from '../find-session.ts';
import { terminalOf } from '../print/paint.ts';
import { shownHooks, showText } from '../print/show.ts';
import { jsonText } from '../print/text.ts';

export const show: Command = {
  name: 'show',
  summary: 'Show how a session went: its stages, hooks, tasks and children, and what to do next',
  arguments: ['[SESSION]'],
  example: 'hookloop show release-20260824-101500',
  async run({ positionals, flags }, io) {
    const session = await sessionOrLast(positionals[0], io);
    const nowMs = Date.now();
    // A long session has many more than people are shown.
    const lastHooks = flags.has('json') ? undefined : shownHooks;
    const view = await viewSession(session, io, { nowMs, lastHooks });
    io.out(flags.has('json') ? jsonText(view) : showText(view, { ...terminalOf(io), nowMs }));
    if (view.status !== 'damaged' && view.status !== 'lost') return exit.done;
    const hint =
      view.status === 'lost' || view.unreadable ? '' : `; hookloop repair ${session.name} shows what can be kept`;
    io.err(printable(`hookloop show: ${view.reason}${hint}\n`));
    return exit.badInput;
  },
};
