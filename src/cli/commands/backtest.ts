import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { backtest as backtestRules } from '../../app/backtest.ts';
import { describeProblem } from '../../model/index.ts';
import { maskDeep } from '../../model/mask.ts';
import { type Command, type CommandIo, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { backtestJson, backtestNotes, backtestText } from '../print/backtest.ts';
import { problemPaint, terminalOf } from '../print/paint.ts';
import { jsonText } from '../print/text.ts';
import { watchSignals } from '../signals.ts';

export const backtest: Command = {
  name: 'backtest',
  summary: 'Ask the rules of this project about what agents have already done, and run nothing',
  arguments: ['[PATH]...'],
  options: {
    since: { value: 'TIME', doc: 'only what is newer: 30d, 12h, or a date such as 2026-11-01' },
    all: { doc: 'calls of every project, not of this one alone' },
  },
  example: 'hookloop backtest --since 30d',
  async run({ positionals, values, flags }, io) {
    const interruption = watchSignals();
    const request = {
      paths: positionals.map(path => presentPath(path, io)),
      sinceMs: sinceOf(values['since']),
      all: flags.has('all'),
    };
    const { cwd, env, mask } = io;
    const end = await backtestRules(request, { cwd, env, mask, signal: interruption.signal });
    if (interruption.exitCode() !== undefined) return interruption.exitCode()!;
    if (end.kind === 'broken') {
      const { colours } = terminalOf(io);
      for (const each of end.problems) io.err(`${mask(describeProblem(each, problemPaint(colours)))}\n`);
      io.err('hookloop backtest: nothing was asked: a hook file has errors (see hookloop check)\n');
      return exit.badConfig;
    }
    if (flags.has('json')) io.out(jsonText(maskDeep(backtestJson(end), mask)));
    else io.out(mask(backtestText(end, { home: env['HOME'], cwd, ...terminalOf(io) })));
    io.err(mask(backtestNotes(end, { home: env['HOME'], cwd })));
    return exit.done;
  },
};

function presentPath(path: string, { cwd }: CommandIo): string {
  const full = resolve(cwd, path);
  if (!existsSync(full)) throw new UsageError(`${path}: there is no such file or folder`);
  return full;
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** The moment from which on something counts. Contract: throws UsageError. */
function sinceOf(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const [, amount, unit] = /^(\d{1,6})([mhdw])$/.exec(written.trim()) ?? [];
  const moment = unit === undefined ? Date.parse(written) : Date.now() - Number(amount) * unitMs[unit]!;
  if (Number.isNaN(moment) || (unit === undefined && !/^\d{4}-/.test(written)))
    throw new UsageError(`--since ${written}: write 90m, 12h, 30d or 2w, or a date such as 2026-11-01`);
  return moment;
}
