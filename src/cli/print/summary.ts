import type { HookSummary, SessionSummary, StageSummary } from '../../model/notice.ts';
import type { Task } from '../../model/record.ts';
import { budgetsWords } from '../../model/spent-words.ts';
import { countTasks, taskCountWords } from '../../model/task-count.ts';
import { counted, durationWords, stageReason } from '../../model/words.ts';
import { type Colours, painted, type Style, type Terminal } from './paint.ts';
import { usageWords } from './progress.ts';
import { type Column, tableLines } from './table.ts';
import { cut, firstLinesAndMore, flat, named, reasonLines, shortened, taskId, wrap } from './text.ts';

type NamedSummary = SessionSummary & { session: string };

/** The end of a session: how it went, what each stage and hook took, what is left to do. */
export function summaryLines(summary: NamedSummary, { colours, columns }: Terminal): readonly string[] {
  const table = <Row>(rows: readonly Row[], shown: readonly Column<Row>[]): readonly string[] =>
    tableLines(rows, shown, { colours, columns: columns - 2 }).map(line => `  ${line}`);
  const parts = [
    statusLines(summary, colours, columns),
    table(summary.stages, stageColumns),
    table(summary.hooks, hookColumns),
    taskLines(summary, colours, columns),
    spentLines(summary, columns),
    nextLines(summary, colours),
  ];
  return parts.filter(lines => lines.length > 0).flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));
}

/** How a session ended, with the reason. */
function statusLines(
  { session, status, reason, durationMs }: NamedSummary,
  colours: Colours,
  columns: number,
): readonly string[] {
  const took = `${status === 'completed' ? 'in' : 'after'} ${durationWords(durationMs)}`;
  const head = `Session ${cut(named(session), Math.max(8, columns - 40))} ${status} ${took}`;
  const [first = '', ...rest] = (reason ?? '').trim().split('\n');
  const why = first ? wrap(`Reason: ${shortened(first, 1000)}`.split(' '), Math.min(columns, 100) - 2, ' ') : [];
  const under = firstLinesAndMore(rest.join('\n'), maxReasonLines);
  const shown = [...why, ...under.map(line => `  ${line}`)];
  return [colours.bold(colours[statusStyles[status]](head)), ...shown.map(line => `  ${cut(line, columns - 2)}`)];
}

const statusStyles = { completed: 'cyan', failed: 'red', stopped: 'yellow', interrupted: 'yellow' } as const;
const maxReasonLines = 8;

const stageColumns: readonly Column<StageSummary>[] = [
  { title: 'STAGE', cell: ({ stage }) => named(stage), grows: true },
  { title: 'RESULT', cell: ({ status }) => status, style: ({ status }) => stageStyles[status] },
  {
    title: 'ITERATIONS',
    short: 'ITER.',
    cell: ({ iterations }) => String(iterations),
    right: true,
  },
  { title: 'FAILED', cell: ({ failedIterations }) => String(failedIterations), right: true, optional: 2 },
  { title: 'TIME', cell: ({ durationMs }) => durationWords(durationMs), right: true },
  {
    title: 'WHY',
    cell: ({ reason = '' }) => shortened(stageReason(reason), 60),
    optional: 1,
    style: () => 'dim',
  },
];

const stageStyles = {
  completed: undefined,
  failed: 'red',
  stopped: 'yellow',
  interrupted: 'yellow',
  skipped: 'dim',
} as const;

const hookColumns: readonly Column<HookSummary>[] = [
  { title: 'HOOK', cell: ({ name }) => named(name), grows: true },
  { title: 'EVENT', cell: ({ event }) => event, optional: 1, style: () => 'dim' },
  { title: 'RUNS', cell: ({ runs }) => String(runs), right: true },
  {
    title: 'FAILED',
    short: 'FAIL',
    cell: ({ failed }) => String(failed),
    right: true,
    style: row => (row.failed > 0 ? 'red' : undefined),
  },
  {
    title: 'REFUSED',
    short: 'REF.',
    cell: ({ refused }) => String(refused),
    right: true,
    style: row => (row.refused > 0 ? 'yellow' : undefined),
  },
  { title: 'TIME', cell: ({ totalMs }) => durationWords(totalMs), right: true },
];

/** What it took and what came of it, a line each. */
function spentLines(summary: SessionSummary, columns: number): readonly string[] {
  const { hooks, usage, time, refusals, files, budgets = [], stalls = 0 } = summary;
  const used = usage ? usageWords(usage) : [];
  const rows: (readonly [name: string, words: readonly string[]])[] = [
    ['Hooks', hooksWords(hooks, refusals)],
    ['Time', timeWords(time)],
    ['Used', used],
    ['Spent', budgetsWords(budgets)],
    ['No progress', stalls > 0 ? [counted(stalls, 'time')] : []],
    ['Changed', changedWords(files, columns)],
  ];
  const told = rows.filter(([, words]) => words.length > 0);
  const width = Math.max(0, ...told.map(([name]) => name.length)) + 2;
  return told.flatMap(([name, words]) =>
    wrap(commas(words), Math.max(20, columns - width), ' ').map(
      (line, at) => `${at === 0 ? `${name}:`.padEnd(width) : ' '.repeat(width)}${line}`,
    ),
  );
}

const commas = (words: readonly string[]): string[] =>
  words.map((word, at) => (at === words.length - 1 || word.endsWith(':') ? word : `${word},`));

function hooksWords(hooks: readonly HookSummary[], { fixed }: SessionSummary['refusals']): string[] {
  const sum = (of: (hook: HookSummary) => number): number => hooks.reduce((total, hook) => total + of(hook), 0);
  const [runs, refused, failed] = [sum(hook => hook.runs), sum(hook => hook.refused), sum(hook => hook.failed)];
  if (runs === 0) return [];
  const [would, flaky] = [sum(hook => hook.wouldRefuse ?? 0), sum(hook => hook.flaky ?? 0)];
  const passed = runs - refused - failed - would;
  return [
    counted(runs, 'run'),
    ...(passed > 0 ? [`${passed} passed${flaky > 0 ? ` (${flaky} flaky)` : ''}`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(fixed > 0 ? [`${fixed} fixed by the agent`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(would > 0 ? [`${would} in shadow would have refused`] : []),
  ];
}

function timeWords({ agentMs, hooksMs, peopleMs, pausedMs = 0 }: SessionSummary['time']): string[] {
  const parts = [
    [agentMs, 'in the agent'],
    [hooksMs, 'in hooks'],
    [peopleMs, 'waiting for people'],
    [pausedMs, 'paused'],
  ] as const;
  const long = parts.filter(([ms]) => ms >= shortestMs);
  return long.map(([ms, where]) => `${durationWords(ms)} ${where}`);
}

const shortestMs = 50;

function changedWords(files: SessionSummary['files'], columns: number): string[] {
  if (files.length === 0) return [];
  const sum = (of: 'added' | 'removed'): number => files.reduce((total, file) => total + (file[of] ?? 0), 0);
  const [added, removed] = [sum('added'), sum('removed')];
  const lines = added + removed > 0 ? ` (+${added} -${removed})` : '';
  const names = files.slice(0, maxFiles).map(({ path }) => cut(flat(path), Math.min(50, columns - 12), 'start'));
  const more = files.length > maxFiles ? [`${files.length - maxFiles} more`] : [];
  return [`${counted(files.length, 'file')}${lines}:`, ...names, ...more];
}

const maxFiles = 5;

/** The one command that goes on from here. */
function nextLines({ session, status, resume }: NamedSummary, colours: Colours): readonly string[] {
  if (resume !== undefined) return [`Continue with: ${colours.bold(shortened(resume, 500))}`];
  return status === 'completed' ? [`See how it went: ${colours.bold(`hookloop show ${flat(session)}`)}`] : [];
}

const maxTasks = 12;

/** Where there are many, those that are done go without saying. */
function taskLines({ tasks: known, gone = [] }: SessionSummary, colours: Colours, columns: number): readonly string[] {
  const tasks = [...known, ...gone.map(task => ({ ...task, status: 'gone' as const, note: undefined }))];
  if (tasks.length === 0) return [];
  const counts = countTasks(known);
  const listed = (tasks.length <= maxTasks ? tasks : tasks.filter(({ status }) => status !== 'done')).slice(
    0,
    maxTasks,
  );
  const hidden = tasks.length - listed.length - (tasks.length <= maxTasks ? 0 : counts.tasksDone);
  const longestId = Math.max(...listed.map(({ id }) => taskId(id).length));
  const idWidth = longestId === 0 ? 0 : longestId + 2;
  return [
    `${taskCountWords(counts)}${gone.length > 0 ? `, ${gone.length} gone from the checklist` : ''}`,
    ...listed.flatMap(({ id, status, content, note }) => {
      const line = cut(`  ${taskSigns[status]} ${taskId(id).padEnd(idWidth)}${shortened(content)}`, columns);
      const why = status === 'failed' && note !== undefined ? reasonLines(note, columns - 2) : [];
      return [painted(line, taskStyles[status], colours), ...why.map(each => `  ${each}`)];
    }),
    ...(hidden > 0 ? [`  ... ${hidden} more not done`] : []),
  ];
}

const taskStyles: Partial<Record<Task['status'] | 'gone', Style>> = { dropped: 'dim', gone: 'yellow' };
/** As the checklists write them. */
const taskSigns = { open: '[ ]', started: '[~]', done: '[x]', failed: '[!]', dropped: '[-]', gone: '[?]' } as const;
