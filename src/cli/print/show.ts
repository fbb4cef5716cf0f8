import { idWords } from '../../model/decision-id.ts';
import { nextSteps } from '../../model/next-steps.ts';
import type { Task } from '../../model/record.ts';
import {
  type ApprovalView,
  type HookView,
  isRefusal,
  isSameFiring,
  type SessionBrief,
  type SessionView,
  type StageView,
} from '../../model/view.ts';
import {
  byWords,
  clock,
  dayOf,
  hookMarks,
  pauseWords,
  resultWords,
  shortDuration,
  stageReason,
  timeOf,
} from '../../model/words.ts';
import { checkpointLines } from './checkpoints.ts';
import { painted, type Style, type Terminal } from './paint.ts';
import { spentWords, usageWords } from './progress.ts';
import { runsTable, stateStyles } from './runs.ts';
import { type Column, columnWidths, gap, largest, row, tableLines, totalWidth } from './table.ts';
import { cut, flat, reasonLines, taskId, textWidth, wrap } from './text.ts';
import { approvalWords } from './told.ts';

export interface ShowOptions extends Terminal {
  nowMs: number;
}

/** One session for people: what it is, its tasks, stages, hooks, approvals and children, and what to do next. */
export function showText(view: SessionView, options: ShowOptions): string {
  const fit = (line: string): string => cut(line, options.columns - 2);
  const blocks = [
    header(view, options),
    block('TASKS', view.tasks.flatMap((task, at) => taskLines(task, at, options.columns - 2)).map(fit), options),
    block('STAGES', tableLines(view.stages, stageColumns, { ...options, columns: options.columns - 2 }), options),
    block('HOOKS', hookLines(view, options), options),
    block('APPROVALS', view.approvals.flatMap(approvalLines).map(fit), options),
    block('TIME LINE', timelineLines(view).map(fit), options),
    block('CHECKPOINTS', checkpointLines(view).map(fit), options),
    block('CHILDREN', childLines(view.children, options), options),
    block('NEXT', nextLines(view, options.columns - 2), options),
  ];
  return `${blocks
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`;
}

function header(view: SessionView, { colours, columns, nowMs }: ShowOptions): string[] {
  const { session, status, reason, pipeline, agent, otherAgents = [], startedAt, runs, durationMs, usage } = view;
  const facts = [
    pipeline === '' ? '' : `pipeline ${flat(pipeline)}`,
    agent === '' ? '' : `agent ${[agent, ...otherAgents].map(flat).join(', ')}`,
    startedAt === undefined ? '' : `started ${dayOf(startedAt)} ${timeOf(startedAt)}`,
    startedAt === undefined ? '' : `took ${shortDuration(durationMs)}`,
    view.pausedMs === undefined ? '' : `paused for ${shortDuration(view.pausedMs)}`,
    runs > 1 ? `in ${runs} processes` : '',
    ...(usage ? usageWords(usage) : []),
    ...spentWords(view.budgets),
  ].filter(fact => fact !== '');
  const said = (text: string): string[] => wrap(flat(text).split(' '), columns, ' ');
  const why = [
    ...(reason === undefined ? [] : said(reason)),
    ...(view.paused ? said(`paused ${pauseWords(view.paused, nowMs)}`) : []),
  ];
  return [
    `${colours.bold(session)}  ${painted(status, stateStyles[status], colours)}`,
    ...why.map(line => cut(line, columns)),
    ...wrap(facts, columns, ' · ').map(line => colours.dim(cut(line, columns))),
  ];
}

const block = (title: string, lines: readonly string[], { colours }: ShowOptions): string[] =>
  lines.length === 0 ? [] : [colours.bold(title), ...lines.map(line => `  ${line}`)];

const stageColumns: readonly Column<StageView>[] = [
  { title: 'STAGE', cell: ({ stage }) => cut(flat(stage), 30) },
  { title: 'STATUS', cell: ({ status }) => status, style: ({ status }) => stateStyles[status] },
  {
    title: 'ITERATIONS',
    cell: ({ iterations, failedIterations: failed }) => `${iterations}${failed > 0 ? `, ${failed} failed` : ''}`,
  },
  {
    title: 'TOOK',
    cell: ({ iterations, durationMs }) => (iterations > 0 || durationMs > 0 ? shortDuration(durationMs) : '-'),
  },
  { title: '', cell: ({ reason = '' }) => flat(stageReason(reason)), grows: true },
];

/** So many runs of hooks are shown; `log` has them all. */
export const shownHooks = 40;

/** The last runs of hooks below the event they ran for. */
function hookLines({ hooks, hookRuns, session }: SessionView, options: ShowOptions): string[] {
  const last = hooks.slice(-shownHooks);
  const width = Math.min(
    Math.max(0, ...last.map(({ name }) => textWidth(flat(name)))),
    Math.floor(options.columns / 2),
  );
  const lines = last.flatMap((hook, at) => [
    ...(isSameFiring(hook, last[at - 1]) ? [] : [options.colours.dim(cut(firingLine(hook), options.columns - 2))]),
    ...runLines(hook, width, options),
  ]);
  const earlier = hookRuns - last.filter(({ status }) => status !== 'skipped').length;
  if (earlier <= 0) return lines;
  const before = `... ${earlier} earlier runs: hookloop log ${session} --hooks`;
  return [options.colours.dim(before), ...lines];
}

function firingLine({ id, at, event, stage, iteration }: HookView): string {
  const where = stage === undefined ? '' : ` in ${flat(stage)}${iteration === undefined ? '' : ` ${iteration}`}`;
  return `${timeOf(at)}  ${idWords(id)} ${flat(event)}${where}`;
}

function runLines(hook: HookView, width: number, { colours, columns }: ShowOptions): string[] {
  const room = columns - 2;
  const took = hook.durationMs === undefined ? '' : shortDuration(hook.durationMs);
  const facts = [took, hookMarks(hook)].filter(fact => fact !== '').join(', ');
  const words = [flat(resultWords(hook)), facts].filter(word => word !== '').join(gap);
  const name = cut(flat(hook.name), width);
  const line = row(
    [`  ${name}`, painted(cut(words, Math.max(20, room - width - 4)), resultStyle(hook), colours)],
    [width + 2, 0],
  );
  const reason = hook.verdict && 'reason' in hook.verdict && !isSaid(hook) ? flat(hook.verdict.reason) : '';
  return [line, ...(reason === '' ? [] : [`      ${colours.dim(cut(reason, room - 6))}`])];
}

/** An exit code stands beside the hook already. */
const isSaid = ({ name, outcome, verdict }: HookView): boolean =>
  outcome?.kind === 'exited' &&
  verdict?.kind === 'failed' &&
  [`exit code ${outcome['exitCode']}`, `${name}: exit code ${outcome['exitCode']}`].includes(verdict.reason.trim());

function resultStyle(hook: HookView): Style | undefined {
  if (isRefusal(hook)) return 'red';
  if (hook.verdict?.kind === 'failed' || hook.status === 'unfinished') return 'yellow';
  return hook.status === 'running' ? 'cyan' : undefined;
}

const boxes: Readonly<Record<Task['status'], string>> = {
  open: '[ ]',
  started: '[~]',
  done: '[x]',
  failed: '[!]',
  dropped: '[-]',
};

/** Ids of checklists are only marks of their text; people count. */
function taskLines({ id, content, status, reason, note }: Task, at: number, room: number): string[] {
  const line = `${boxes[status]} ${taskId(id) || at + 1}  ${flat(content)}`;
  if (reason !== undefined) return [line, ...reasonLines(reason, room)];
  return [note === undefined ? line : `${line} (${flat(note)})`];
}

function approvalLines({ id, title, question, status, since, answer, message, by, at }: ApprovalView): string[] {
  const asked = approvalWords({ approval: id, title, question }, flat);
  const ended = status === 'answered' ? `answered${answer ? ` ${flat(answer)}` : ''}` : status;
  return [
    `${timeOf(since)}  ${flat(id)}  ${ended}${message ? ` (${flat(message)})` : ''}  ${asked}`,
    ...(at === undefined ? [] : [`${' '.repeat(10)}${answeredAt(since, at)}${by ? `, ${byWords(flat(by))}` : ''}`]),
  ];
}

/** People may take days to answer. */
const answeredAt = (since: string, at: string): string =>
  `${dayOf(since) === dayOf(at) ? '' : `${dayOf(at)} `}${timeOf(at)}`;

/** The last of it; `log` has all. */
const shownItems = 25;

/** The time of day, and how long after the start it was. */
function timelineLines({ timeline, startedAt, session }: SessionView): string[] {
  const fromMs = Date.parse(startedAt ?? '');
  const items = timeline.slice(-shownItems);
  const width = largest(items.map(({ id }) => (id === undefined ? 0 : idWords(id).length)));
  const sinceOf = (at: string): string => (Number.isNaN(fromMs) ? '' : `+${clock(Date.parse(at) - fromMs)}`);
  const sinceWidth = largest(items.map(({ at }) => sinceOf(at).length));
  const before = timeline.length - items.length;
  const lines = items.map(({ at, text, id }) => {
    return `${timeOf(at)}  ${sinceOf(at).padStart(sinceWidth)}  ${(id === undefined ? '' : idWords(id)).padEnd(width)}  ${flat(text)}`;
  });
  return before > 0 ? [`... ${before} earlier: hookloop log ${session}`, ...lines] : lines;
}

const childLines = (children: readonly SessionBrief[], { columns, ...options }: ShowOptions): string[] =>
  children.length === 0 ? [] : runsTable(children, { ...options, columns: columns - 2 }).split('\n');

/** Commands are never cut: people copy them. */
function nextLines(view: SessionView, room: number): string[] {
  const rows = nextSteps(view).map(({ command, meaning }) => [command, meaning]);
  const widths = columnWidths(rows);
  const isWide = totalWidth(widths) > room;
  return rows.map(([command = '', meaning = '']) => {
    const line = isWide ? `${command}${gap}${meaning}` : row([command, meaning], widths);
    return textWidth(line) > room ? command : line;
  });
}
