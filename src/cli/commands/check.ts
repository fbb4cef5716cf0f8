import { check as checkFiles } from '../../app/check.ts';
import { describeProblem } from '../../model/index.ts';
import { maskDeep } from '../../model/mask.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { checkReport, checkSummary, flawsNote } from '../print/check.ts';
import { problemPaint, terminalOf } from '../print/paint.ts';
import { jsonText } from '../print/text.ts';

export const check: Command = {
  name: 'check',
  summary: 'Say what is wrong with the hook and pipeline files, and what to write instead',
  example: 'hookloop check',
  run({ flags }, io) {
    const checked = checkFiles(io);
    const { problems } = checked;
    const { mask } = io;
    io.err(flawsNote(io.env));
    if (flags.has('json')) {
      io.out(jsonText(maskDeep(checkReport(problems), mask)));
    } else {
      const paint = problemPaint(terminalOf(io).colours);
      for (const problem of problems) io.out(`${mask(describeProblem(problem, paint))}\n`);
      io.err(checkSummary(checked));
    }
    return problems.some(({ severity }) => severity === 'error') ? exit.badConfig : exit.done;
  },
};
