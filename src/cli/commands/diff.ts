import { diffSession } from '../../app/checkpoints.ts';
import { maskDeep } from '../../model/mask.ts';
import { checkpointArgument, tellNoCheckpoint } from '../checkpoint-arguments.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { sessionOrLast } from '../find-session.ts';
import { diffSummary, diffText } from '../print/checkpoints.ts';
import { terminalOf } from '../print/paint.ts';
import { jsonText } from '../print/text.ts';

export const diff: Command = {
  name: 'diff',
  summary: 'Show what a session has changed, up to its last checkpoint or checkpoint N',
  arguments: ['[SESSION]', '[N]'],
  example: 'hookloop diff release-20260824-101500 3',
  async run({ positionals, flags }, io) {
    const session = await sessionOrLast(positionals[0], io);
    const found = await diffSession(session, checkpointArgument(positionals[1], 'N'), io);
    if (found.kind !== 'diff') return tellNoCheckpoint('diff', session.name, found, io);
    const { from, to, files, text } = maskDeep(found, io.mask);
    if (flags.has('json')) {
      const ends = { from: { n: from.n, oid: from.oid }, to: { n: to.n, oid: to.oid } };
      io.out(jsonText({ session: session.name, ...ends, files, diff: text }));
      return exit.done;
    }
    const isTerminal = io.terminal('out').columns !== undefined;
    io.out(isTerminal ? diffText(text, terminalOf(io)) : text);
    io.err(`${io.mask(diffSummary(found))}\n`);
    return exit.done;
  },
};
