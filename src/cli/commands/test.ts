import { resolve } from 'node:path';
import { recordTests, testFileText } from '../../app/record-tests.ts';
import { runTests, type TestResult } from '../../app/run-tests.ts';
import { testFileName } from '../../app/test-file.ts';
import { describeProblem, printable } from '../../model/index.ts';
import { maskDeep } from '../../model/mask.ts';
import { reasonOf, writeAtomically } from '../../platform/files.ts';
import { type Command, type CommandIo, UsageError } from '../command.ts';
import { exit } from '../exit.ts';
import { sessionNamed } from '../find-session.ts';
import { checkReport } from '../print/check.ts';
import { junitText } from '../print/junit.ts';
import { problemPaint, terminalOf } from '../print/paint.ts';
import { testsReport, testsSummary, testText } from '../print/tests.ts';
import { jsonText } from '../print/text.ts';
import { watchSignals } from '../signals.ts';
import { fireContext } from './dispatch.ts';

export const test: Command = {
  name: 'test',
  summary: `Run the cases of ${testFileName} against the hooks, without an agent`,
  arguments: ['[FILE]...'],
  options: {
    record: { value: 'SESSION', doc: 'print cases from what happened in a session, and run none' },
    junit: { value: 'FILE', doc: "also write the results to FILE, as JUnit's XML" },
  },
  example: 'hookloop test --junit results.xml',
  async run({ positionals, values, flags }, io) {
    if (values['record'] !== undefined) return record(values['record'], positionals, io);
    const interruption = watchSignals();
    const from = Date.now();
    const asJson = flags.has('json');
    const { colours } = terminalOf(io);
    const { shown, context } = fireContext(io, interruption, true);
    const ran = await runTests(positionals, {
      ...context,
      onResult(result) {
        shown.say?.flush();
        if (!asJson) io.out(testText(result, { colours, mask: io.mask }));
      },
    });
    shown.say?.flush();
    switch (ran.kind) {
      case 'interrupted':
        return interruption.exitCode() ?? exit.failed;
      case 'broken':
        io.err(`hookloop test: ${ran.why}\n`);
        return exit.badConfig;
      case 'bad-files': {
        const { problems } = ran;
        if (asJson) io.out(jsonText(maskDeep(checkReport(problems), io.mask)));
        else for (const each of problems) io.err(`${io.mask(describeProblem(each, problemPaint(colours)))}\n`);
        return exit.badConfig;
      }
    }
    const { results } = ran;
    if (asJson) io.out(jsonText(maskDeep(testsReport(results), io.mask)));
    io.err(testsSummary(results, Date.now() - from));
    if (values['junit'] !== undefined) writeJunit(values['junit'], results, io);
    return results.every(({ status }) => status === 'passed') ? exit.done : exit.failed;
  },
};

async function record(name: string, files: readonly string[], io: CommandIo): Promise<number> {
  if (files.length > 0)
    throw new UsageError('--record prints a file and takes none; write: hookloop test --record SESSION > FILE');
  const session = await sessionNamed(name, io);
  const { end, cases } = await recordTests(session, io);
  const tell = (text: string): void => io.err(`hookloop test: ${printable(text)}\n`);
  if (end.kind !== 'read' && end.kind !== 'empty') {
    tell(`the journal of ${session.name} cannot be read to its end; hookloop show ${session.name} says why`);
    return exit.badInput;
  }
  if (cases.length === 0) {
    tell(`nothing in ${session.name} is for the hooks of this project`);
    return exit.failed;
  }
  io.out(io.mask(testFileText(session.name, cases)));
  return exit.done;
}

function writeJunit(path: string, results: readonly TestResult[], { cwd, mask }: CommandIo): void {
  try {
    writeAtomically(resolve(cwd, path), junitText(results, mask), { maskedMode: 0o666 });
  } catch (error) {
    throw new UsageError(`--junit ${path}: ${reasonOf(error)}`);
  }
}
