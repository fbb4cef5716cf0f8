import { resolve } from 'node:path';
import { childOf, entryOf, type Located } from '../config/located.ts';
import { read } from '../config/read.ts';
import { createReport, fileProblem, type Report } from '../config/report.ts';
import { entries, filled, json, list, map, oneOf, record, text, type ValueOf } from '../config/shape.ts';
import { parseYaml } from '../config/yaml.ts';
import { shownPath } from '../hooks/discovery/find-files.ts';
import { createLook } from '../hooks/discovery/look.ts';
import type { HookEvent, Places, Problem } from '../model/index.ts';
import type { Fields } from '../model/json.ts';
import { answerWordsKnown } from './answer-word.ts';
import { describedEvent, eventsNamed, type FieldsFlaw } from './event-fields.ts';

export const testFileName = 'hookloop.test.yaml';

const caseShape = record(
  {
    name: filled('What the case shows, in a sentence'),
    event: filled('The event, under any name that hookloop events lists'),
    with: map(json(), 'Fields of the event, as hookloop try takes them: tool, command, file, ...'),
    expect: oneOf(
      answerWordsKnown,
      'What the hooks decide. ask: the hook that decides would ask a person; judge: it would ask a judge',
    ),
    message: text('A part of what the agent, or the person, is told'),
    hooks: list(filled(), 'The names of the hooks that run, and of no others'),
  },
  { required: ['name', 'event', 'expect'], closed: true },
);

export const testFileShape = record(
  { tests: entries(caseShape, 'Cases, which run one after another') },
  { required: ['tests'], closed: true, doc: 'Cases for hooks, which hookloop test runs without an agent' },
);

export interface TestCase extends Omit<ValueOf<typeof caseShape>, 'event' | 'with'> {
  event: HookEvent;
}

export interface TestFile {
  file: string;
  cases: readonly TestCase[];
  problems: readonly Problem[];
}

const absentHint =
  'write one: tests: [{ name: no push, event: tool.calling, with: { tool: Bash, command: git push }, expect: block }]; or print one from a session: hookloop test --record SESSION';

/** Reads a file of cases. Contract: where it has errors there are no cases. */
export function readTestFile(path: string, places: Places): TestFile {
  const full = resolve(places.cwd, path);
  const file = shownPath(full, places);
  const content = createLook().text(full);
  const failed = (problems: readonly Problem[]): TestFile => ({ file, cases: [], problems });
  if (content.kind === 'absent') return failed([fileProblem(file, 'does not exist', true, absentHint)]);
  if (content.kind === 'unreadable') return failed([fileProblem(file, content.reason, true)]);
  const report = createReport(file, content.text, true);
  const parsed = parseYaml(content.text);
  for (const flaw of parsed.flaws) report.flaw(flaw);
  if (parsed.kind === 'broken') return failed(report.problems);
  const cases = parsed.root ? readCases(parsed.root, report) : noTests(report, { start: 0, end: 0 });
  return report.problems.some(({ severity }) => severity === 'error')
    ? failed(report.problems)
    : { file, cases, problems: report.problems };
}

function noTests(report: Report, span: Located['span']): [] {
  report.error(span, 'there are no tests', 'write tests: and a list of { name, event, with, expect }');
  return [];
}

function readCases(root: Located, report: Report): TestCase[] {
  const found = read(root, testFileShape, report);
  if (!found) return [];
  const node = childOf(root, 'tests');
  if (node?.kind === 'list' && node.items.length === 0) return noTests(report, node.span);
  return found.tests.flatMap(({ value, node: at }) => {
    const { event: spelling, with: fields = {}, ...rest } = value;
    const event = eventOf(spelling, fields, at, report);
    return event ? [{ ...rest, event }] : [];
  });
}

function eventOf(spelling: string, fields: Fields, node: Located, report: Report): HookEvent | undefined {
  const tell = ({ message, hint }: FieldsFlaw, span: Located['span']): void => report.error(span, message, hint);
  const events = eventsNamed(spelling);
  if ('message' in events) {
    tell(events, childOf(node, 'event')!.span);
    return undefined;
  }
  const described = describedEvent(events, fields);
  if (described.kind === 'event') return described.event;
  const given = childOf(node, 'with') ?? node;
  for (const flaw of described.flaws) {
    const entry = flaw.key === undefined ? undefined : entryOf(given, flaw.key);
    tell(flaw, entry ? (flaw.hint === undefined ? entry.value.span : entry.keySpan) : given.span);
  }
  return undefined;
}
