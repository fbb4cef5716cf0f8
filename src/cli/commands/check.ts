import { createLook } from '../../hooks/discovery/look.ts';
import { createMask, maskDeep } from '../../hooks/secrets/mask.ts';
import { describeProblem, type Problem, printableJson } from '../../model/index.ts';
import { counted } from '../../model/words.ts';
import { folderFlaws } from '../../platform/folders.ts';
import { agentFlawFor, unknownSettings } from '../check-agents.ts';
import { pipelineParts } from '../check-pipelines.ts';
import { scriptProblems } from '../check-scripts.ts';
import { syntaxProblems } from '../check-syntax.ts';
import { userConfigProblems } from '../check-user-config.ts';
import type { Command } from '../command.ts';
import { exit } from '../exit.ts';
import { type AllHooks, loadAllHooks } from '../list-hooks.ts';
import { problemCounts } from '../list-notes.ts';
import { createColours, problemPaint } from '../print/paint.ts';
import { flat } from '../print/table.ts';

export const check: Command = {
  name: 'check',
  summary: 'Say what is wrong with the hook and pipeline files, and what to write instead',
  arguments: [],
  options: {},
  example: 'hookloop check',
  run({ flags }, io) {
    const look = createLook();
    const all = loadAllHooks(io, look);
    const agentFlaw = agentFlawFor(io);
    const parts = pipelineParts(all, look, agentFlaw);
    const settings = unknownSettings(all.places, look, agentFlaw).map(({ problem }) => problem);
    const syntax = syntaxProblems([...all.hooks, ...parts.hooks], all.places, look);
    const scripts = scriptProblems([...all.hooks, ...parts.hooks], all.places, look);
    const user = userConfigProblems(all.places, look);
    const problems = [...all.problems, ...parts.problems, ...settings, ...user, ...syntax, ...scripts].toSorted(
      byPlace,
    );
    const mask = createMask(io.env);
    for (const flaw of folderFlaws(io.env)) io.err(`hookloop: ${flat(flaw)}\n`);
    if (flags.has('json')) {
      io.out(`${printableJson(maskDeep(toReport(problems), mask), 2)}\n`);
    } else {
      const paint = problemPaint(createColours(io.terminal('out').color && !flags.has('no-color')));
      for (const problem of problems) io.out(`${mask(describeProblem(problem, paint))}\n`);
      io.err(summaryOf(problems, all));
    }
    return problems.some(isError) ? exit.badConfig : exit.done;
  },
};

const isError = ({ severity }: Problem): boolean => severity === 'error';

const byPlace = ({ at: a }: Problem, { at: b }: Problem): number =>
  (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column;

function toReport(problems: readonly Problem[]): unknown {
  const errors = problems.filter(isError).length;
  return {
    problems: problems.map(({ severity, message, hint, at: { file, line, column } }) => ({
      severity,
      message,
      ...(hint !== undefined && { hint }),
      file,
      line,
      column,
    })),
    errors,
    warnings: problems.length - errors,
  };
}

function summaryOf(problems: readonly Problem[], { files, hooks }: AllHooks): string {
  const inFiles = new Set(problems.map(({ at }) => at.file)).size;
  if (problems.length > 0) return `${problemCounts(problems)} in ${counted(inFiles, 'file')}\n`;
  if (files.size === 0) return 'no hook files here; hookloop list says where they can be put\n';
  return `no problems in ${counted(files.size, 'hook file')}, ${counted(hooks.length, 'hook')}\n`;
}
