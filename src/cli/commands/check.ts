import { check as checkFiles } from '../../app/check.ts';
import { describeProblem, printableJson } from '../../model/index.ts';
import { maskDeep } from '../../model/mask.ts';
import { folderFlaws } from '../../platform/folders.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { checkReport, checkSummary } from '../print/check.ts';
import { createColours, problemPaint } from '../print/paint.ts';
import { flat } from '../print/text.ts';

export const check: Command = {
  name: 'check',
  summary: 'Say what is wrong with the hook and pipeline files, and what to write instead',
  example: 'hookloop check',
  run({ flags }, io) {
    const checked = checkFiles(io);
    const { problems } = checked;
    const { mask } = io;
    for (const flaw of folderFlaws(io.env)) io.err(`hookloop: ${flat(flaw)}\n`);
    if (flags.has('json')) {
      io.out(`${printableJson(maskDeep(checkReport(problems), mask), 2)}\n`);
    } else {
      const paint = problemPaint(createColours(io.terminal('out').color));
      for (const problem of problems) io.out(`${mask(describeProblem(problem, paint))}\n`);
      io.err(checkSummary(checked));
    }
    return problems.some(({ severity }) => severity === 'error') ? exit.badConfig : exit.done;
  },
};
