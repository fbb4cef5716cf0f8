import { findPlaces } from '../hooks/discovery/load.ts';
import type { Problem } from '../model/index.ts';
import { type AnswerWord, answerWord } from './answer-word.ts';
import { type Dispatched, type FireContext, type Fired, fireEvent } from './dispatch-event.ts';
import { readTestFile, type TestCase, type TestFile, testFileName } from './test-file.ts';

/** How one case went. */
export interface TestResult {
  file: string;
  name: string;
  status: 'passed' | 'failed';
  decision: AnswerWord;
  /** What the agent, or the person who would be asked, is told. */
  message: string;
  /** What is not as it was expected. */
  why?: string;
  durationMs: number;
  fired: Fired;
}

export type TestsRun =
  | { kind: 'ran'; results: readonly TestResult[] }
  | { kind: 'bad-files'; problems: readonly Problem[] }
  /** Hook files of the project have errors: nothing was run. */
  | { kind: 'broken'; why: string }
  | { kind: 'interrupted' };

export interface RunTestsContext extends FireContext {
  /** Hears of each case as it ends. */
  onResult(result: TestResult): void;
}

/** Runs the cases of files, of `hookloop.test.yaml` at the root where none is named, one after another. No one is asked. */
export async function runTests(paths: readonly string[], context: RunTestsContext): Promise<TestsRun> {
  const places = findPlaces(context.cwd, context.env);
  const files =
    paths.length > 0
      ? paths.map(path => readTestFile(path, places))
      : [readTestFile(testFileName, { ...places, cwd: places.root })];
  const problems = files.flatMap(file => file.problems);
  if (problems.some(({ severity }) => severity === 'error')) return { kind: 'bad-files', problems };
  return runCases(files, context);
}

async function runCases(files: readonly TestFile[], context: RunTestsContext): Promise<TestsRun> {
  const results: TestResult[] = [];
  for (const { file, cases } of files)
    for (const each of cases) {
      const from = Date.now();
      const dispatched: Dispatched = await fireEvent(
        each.event,
        { requireTrust: false, dryRun: false, asksNoOne: true },
        context,
      );
      if (context.signal.aborted) return { kind: 'interrupted' };
      if (dispatched.kind !== 'fired') return { kind: 'broken', why: dispatched.why };
      const result = { file, ...resultOf(each, dispatched), durationMs: Date.now() - from };
      results.push(result);
      context.onResult(result);
    }
  return { kind: 'ran', results };
}

function resultOf(expected: TestCase, fired: Fired): Omit<TestResult, 'file' | 'durationMs'> {
  const decision = answerWord(fired);
  const message = messageOf(fired);
  const why = [
    ...(decision === expected.expect ? [] : [`expected ${expected.expect}, got ${decision}`]),
    ...(expected.message === undefined || message.includes(expected.message)
      ? []
      : [`expected a message with ${JSON.stringify(expected.message)}, got ${JSON.stringify(shortened(message))}`]),
    ...hooksFlaw(expected.hooks, hooksThatRan(fired)),
  ].join('; ');
  return {
    name: expected.name,
    ...(why === '' ? { status: 'passed' } : { status: 'failed', why }),
    ...{ decision, message, fired },
  };
}

/** The question, where one would be asked; else the reason of a refusal and whatever else the agent is told. */
export function messageOf({ result: { decision, feedback }, unasked }: Pick<Fired, 'result' | 'unasked'>): string {
  if (decision.kind === 'proceed') return feedback;
  const { reason, by } = decision;
  const question = unasked.get(by)?.question;
  if (question !== undefined) return question;
  return feedback.includes(reason) ? feedback : [reason, feedback].filter(text => text !== '').join('\n');
}

const shortened = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}...` : text);

/** By name; one that would ask someone has run. */
const hooksThatRan = ({ hooks, result }: Pick<Fired, 'hooks' | 'result'>): string[] =>
  result.results.flatMap(({ hook, status }) =>
    status === 'skipped' ? [] : [hooks.find(({ id }) => id === hook)?.name ?? hook],
  );

function hooksFlaw(expected: readonly string[] | undefined, ran: readonly string[]): string[] {
  if (!expected || expected.toSorted().join('\0') === ran.toSorted().join('\0')) return [];
  const named = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));
  return [`expected these hooks to run: ${named(expected)}; these ran: ${named(ran)}`];
}
