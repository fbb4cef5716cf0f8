import type { Command } from '../command.ts';
import { eventRows, eventTable } from '../event-table.ts';
import { exit } from '../exit.ts';
import { createColours } from '../print/paint.ts';

export const events: Command = {
  name: 'events',
  summary: 'Show every event, and how each dialect spells it',
  arguments: [],
  options: {},
  example: 'hookloop events',
  run({ flags }, io) {
    if (flags.has('json')) {
      io.out(`${JSON.stringify(eventRows(), null, 2)}\n`);
      return exit.done;
    }
    const { color, columns = 100 } = io.terminal('out');
    io.out(eventTable(createColours(color && !flags.has('no-color')), columns));
    return exit.done;
  },
};
