import { type Checked, check as checkFiles } from '../../app/check.ts';
import { watchCheck } from '../../app/watch-check.ts';
import { describeProblem, printableJson } from '../../model/index.ts';
import { maskDeep } from '../../model/mask.ts';
import type { Command, CommandIo } from '../command.ts';
import { exit } from '../exit.ts';
import { changesText, checkReport, checkSummary, flawsNote, folderGoneText, watchingText } from '../print/check.ts';
import { problemPaint, terminalOf } from '../print/paint.ts';
import { jsonText } from '../print/text.ts';
import { watchSignals } from '../signals.ts';

export const check: Command = {
  name: 'check',
  summary: 'Find mistakes in hook and pipeline files, and say what to write instead',
  options: {
    watch: { short: 'w', doc: 'check again whenever one of the files changes (with --json: a line each time)' },
  },
  example: 'hookloop check --watch',
  run({ flags }, io) {
    io.err(flawsNote(io.env));
    if (flags.has('watch')) return watch(flags.has('json'), io);
    const checked = checkFiles(io);
    if (flags.has('json')) io.out(jsonText(reportOf(checked, io)));
    else print(checked, io);
    return checked.problems.some(({ severity }) => severity === 'error') ? exit.badConfig : exit.done;
  },
};

const reportOf = ({ problems }: Checked, { mask }: CommandIo): unknown => maskDeep(checkReport(problems), mask);

/** Returns `unread` where no one reads it any more. */
function print(checked: Checked, io: CommandIo): unknown {
  const paint = problemPaint(terminalOf(io).colours);
  const texts = checked.problems.map(problem => `${io.mask(describeProblem(problem, paint))}\n`);
  const written = texts.length > 0 ? io.out(texts.join('')) : undefined;
  io.err(checkSummary(checked));
  return written;
}

/** Ends only by a signal, or where no one reads what it prints. */
async function watch(isJson: boolean, io: CommandIo): Promise<number> {
  const { signal, exitCode } = watchSignals();
  const unread = new AbortController();
  const { colours } = terminalOf(io, undefined, 'err');
  const clear = canClear(io) && !isJson ? '\x1b[H\x1b[2J' : '';
  await watchCheck(io, {
    signal: AbortSignal.any([signal, unread.signal]),
    onChecked(checked, files, changes) {
      if (isJson) {
        if (io.out(`${printableJson(reportOf(checked, io))}\n`) === 'unread') unread.abort();
        return;
      }
      if (changes.length > 0) io.err(clear + io.mask(changesText(changes, new Date(), io.cwd, colours)));
      if (print(checked, io) === 'unread') unread.abort();
      io.err(watchingText(files));
    },
    onGone: () => io.err(folderGoneText(io.cwd)),
  });
  return exitCode() ?? exit.done;
}

/** Both streams must be a terminal that understands it: a file or a pipe keeps one report after another. */
const canClear = ({ env, terminal }: CommandIo): boolean =>
  !['', 'dumb'].includes(env['TERM'] ?? '') &&
  (['out', 'err'] as const).every(stream => terminal(stream).columns !== undefined);
