import { eventRows } from '../../app/events.ts';
import { loadAllHooks } from '../../app/list.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { flawsNote, problemNote } from '../print/check.ts';
import { eventTable } from '../print/events.ts';
import { emptyText, hookTable, listedJson, listNotes } from '../print/list.ts';
import { terminalOf } from '../print/paint.ts';
import { jsonText } from '../print/text.ts';

export const list: Command = {
  name: 'list',
  summary: 'Show every hook that applies here, and which will not run and why',
  example: 'hookloop list',
  run({ flags }, io) {
    const all = loadAllHooks(io);
    const { places, hooks, problems } = all;
    const { mask } = io;
    if (flags.has('json')) io.out(jsonText(hooks.map(hook => listedJson(hook, mask))));
    else if (hooks.length === 0) io.out(emptyText(all));
    else io.out(`${hookTable(hooks, { places, mask, ...terminalOf(io) })}\n${listNotes(all)}`);
    io.err(flawsNote(io.env));
    io.err(mask(problemNote(problems)));
    return exit.done;
  },
};

export const events: Command = {
  name: 'events',
  summary: 'Show every event, and how each dialect spells it',
  example: 'hookloop events',
  run({ flags }, io) {
    io.out(flags.has('json') ? jsonText(eventRows()) : eventTable(eventRows(), terminalOf(io, 100)));
    return exit.done;
  },
};
