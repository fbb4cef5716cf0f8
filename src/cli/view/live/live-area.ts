import { taskCountWords } from '../../../model/task-count.ts';
import { counted, elapsedWords, pauseWords } from '../../../model/words.ts';
import type { Colours } from '../../print/paint.ts';
import { contextWords, spentWords, usageWords } from '../../print/progress.ts';
import { cut, flat, folded, indentedLine, named, shortened, taskId, textWidth } from '../../print/text.ts';
import { flexible, paintLine, type Span, type Symbols, span } from './line.ts';
import type { RunningHook, View } from './live-state.ts';

export interface FrameOptions {
  columns: number;
  rows: number;
  nowMs: number;
  /** When the view began. */
  sinceMs: number;
  colours: Colours;
  symbols: Symbols;
  /** What waits for a person, below everything else. */
  questions: readonly (readonly Span[])[];
  /** Whether keys are read. */
  hasKeys: boolean;
}

/** The live area as lines that fit the terminal; where it is too low, what matters least is left out. */
export function frameLines(view: View, options: FrameOptions): string[] {
  const spinner = options.symbols.spinner[Math.floor(options.nowMs / spinMs) % options.symbols.spinner.length]!;
  const blocks: Block[] = [
    { rank: 7, lines: [[]] },
    { rank: 1, lines: headLines(view, options) },
    { rank: 4, lines: taskLines(view) },
    { rank: 3, lines: agentLines(view, options, spinner) },
    { rank: 5, lines: hookLines(view, options, spinner) },
    { rank: 6, lines: view.open === 'help' ? helpLines(options) : [] },
    { rank: 2, lines: stopLines(view) },
    { rank: 0, lines: options.questions },
  ];
  return fitting(blocks, options.rows - 1)
    .slice(-Math.max(1, options.rows - 1))
    .map(line => paintLine(line, options.columns - 1, options.colours));
}

/** Whether something turns, so that the area changes by itself many times a second. */
export const isTurning = ({ agent, ...view }: View, nowMs: number): boolean =>
  turningKinds.has(agent.kind) ||
  (agent.kind === 'speaking' && agent.line.trim() === '') ||
  visibleHooks(view, nowMs).length > 0;

const turningKinds: ReadonlySet<View['agent']['kind']> = new Set(['silent', 'thinking', 'working']);

/** How long each picture of a spinner stands. */
export const spinMs = 125;

type Line = readonly Span[];

interface Block {
  /** The highest goes first. */
  rank: number;
  lines: readonly Line[];
}

function fitting(blocks: readonly Block[], rows: number): Line[] {
  const lines = blocks.flatMap(block => block.lines);
  if (lines.length <= rows || blocks.length === 1) return lines;
  const worst = Math.max(...blocks.map(({ rank }) => rank));
  return fitting(
    blocks.filter(({ rank }) => rank !== worst),
    rows,
  );
}

/** A hook that is done at once would only flash by. */
const visibleHooks = ({ hooks }: Pick<View, 'hooks'>, nowMs: number): readonly RunningHook[] =>
  hooks.filter(({ sinceMs }) => nowMs - sinceMs >= flashMs);

export const flashMs = 200;

const labelWidth = 11;
const label = (text: string): Span => span(`  ${text.padEnd(labelWidth)}`, 'dim');

/** What is where, how far it is and what it has used, in as many lines as that takes. */
function headLines({ progress, stages }: View, { columns, nowMs, sinceMs, symbols, hasKeys }: FrameOptions): Line[] {
  const { session, stage, iteration, tasks, usage } = progress;
  const at = stage === undefined ? -1 : stages.indexOf(stage);
  const count = at === -1 || stages.length < 2 ? '' : `, stage ${at + 1} of ${stages.length}`;
  const parts: Span[] = [
    span(cut(named(session), Math.max(12, columns - 40)), 'bold'),
    ...(stage === undefined ? [] : [span(`${named(stage)}${count}`)]),
    ...(tasks ? [span(taskCountWords(tasks))] : iteration === undefined ? [] : [span(`iteration ${iteration}`)]),
    span(elapsedWords(nowMs - sinceMs), 'dim'),
    ...(usage ? [...usageWords(usage), ...contextWords(usage)].map(text => span(text, 'dim')) : []),
    ...spentWords(usage?.budgets).map(text => span(text, 'dim')),
  ];
  const dot = columns < 80 ? ` ${symbols.dot} ` : `  ${symbols.dot}  `;
  const lines: Span[][] = [];
  let room = 0;
  for (const part of parts) {
    const width = textWidth(part.text);
    const last = lines.at(-1);
    if (last && room >= width + dot.length) last.push(span(dot, 'dim'), part);
    else lines.push([span('  '), part]);
    room = last === lines.at(-1) ? room - width - dot.length : columns - 3 - width;
  }
  // No reason for a line more.
  if (hasKeys && room >= dot.length + help.length) lines.at(-1)!.push(span(`${dot}${help}`, 'dim'));
  return lines;
}

const help = '? help';

const stopWords = { now: 'is stopping', turn: "stops after the agent's turn", task: 'stops after this task' } as const;

const stopLines = ({ stopping }: View): Line[] =>
  stopping === undefined ? [] : [[label('session'), span(stopWords[stopping], 'yellow')]];

/** What the keys do. */
const keyWords: readonly (readonly [key: string, meaning: string])[] = [
  ['?', 'this help'],
  ['o', 'output of the running hook'],
  ['p', 'stop after this turn'],
  ['s', 'stop now'],
  ['y n', 'answer a question'],
  ['Ctrl-C', 'interrupt'],
];

function helpLines({ columns }: FrameOptions): Line[] {
  const each = keyWords.map(([key, meaning]) => [span(`  ${key.padEnd(8)}`, 'bold'), span(meaning.padEnd(28), 'dim')]);
  if (columns < 80) return each;
  return each.flatMap((line, at) => (at % 2 === 0 ? [[...line, ...(each[at + 1] ?? [])]] : []));
}

function taskLines({ progress: { task } }: View): Line[] {
  if (task === undefined) return [];
  const id = taskId(task.id);
  return [[label('task'), ...(id === '' ? [] : [span(`${id}  `, 'dim')]), flexible(shortened(task.content))]];
}

function agentLines(view: View, { columns, nowMs }: FrameOptions, spinner: string): Line[] {
  const { agent, progress, hooks, paused } = view;
  if (paused) return pausedLines(`paused ${pauseWords(paused, nowMs)}`, columns);
  const turning = span(`${spinner} `, 'cyan');
  switch (agent.kind) {
    case 'unprompted':
      return [];
    case 'silent':
      return hooks.some(({ event, wait }) => wait && event === 'prompt.submitting')
        ? []
        : [[label('agent'), turning, span(`thinking  ${elapsedWords(nowMs - agent.sinceMs)}`, 'dim')]];
    case 'idle':
      return progress.iteration === undefined ? [] : [[label('agent'), span('waiting', 'dim')]];
    case 'thinking':
      return [[label('agent'), turning, span(`thinking  ${elapsedWords(nowMs - agent.sinceMs)}`, 'dim')]];
    case 'working': {
      const { title, sinceMs } = agent.tools.at(-1)!;
      const more = agent.tools.length > 1 ? `  and ${counted(agent.tools.length - 1, 'more tool')}` : '';
      return [[label('agent'), turning, flexible(title), span(`  ${elapsedWords(nowMs - sinceMs)}${more}`, 'dim')]];
    }
    case 'speaking': {
      const line = flat(agent.line);
      if (line === '')
        return [[label('agent'), turning, span(`writing  ${elapsedWords(nowMs - agent.sinceMs)}`, 'dim')]];
      return folded(line, Math.max(10, columns - 1 - labelWidth - 2))
        .slice(-messageLines)
        .map((text, at) => [label(at === 0 ? 'agent' : ''), span(text)]);
    }
  }
}

/** Of what the agent says. */
const messageLines = 4;

const pausedLines = (text: string, columns: number): Line[] =>
  folded(flat(text), Math.max(10, columns - 1 - labelWidth - 2))
    .slice(0, messageLines)
    .map((line, at) => [label(at === 0 ? 'agent' : ''), span(line, 'yellow')]);

const maxHooks = 5;

/** Each event that hooks are running for, with its hooks under it. */
function hookLines(view: View, options: FrameOptions, spinner: string): Line[] {
  const hooks = visibleHooks(view, options.nowMs);
  const shown = hooks.slice(0, maxHooks);
  const events = [...new Set(shown.map(({ event }) => event))];
  const more = hooks.length - shown.length;
  const opened = view.open === 'output' ? shown[0] : undefined;
  return [
    ...events.flatMap((event, at): Line[] => [
      [label(at === 0 ? (hooks.length === 1 ? 'hook' : 'hooks') : ''), span(event, 'dim')],
      ...shown
        .filter(hook => hook.event === event)
        .flatMap(hook => [
          hookLine(hook, options, spinner, hook !== opened),
          ...(hook === opened ? outputLines(hook, options) : []),
        ]),
    ]),
    ...(more > 0 ? [[label(''), span(`and ${more} more`, 'dim')]] : []),
  ];
}

function hookLine(
  { name, wait, attempt, sinceMs, lines }: RunningHook,
  { nowMs, columns }: FrameOptions,
  spinner: string,
  says: boolean,
): Line {
  const facts = [
    elapsedWords(nowMs - sinceMs),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(wait ? [] : ['in the background']),
  ];
  const said = says ? flat(indentedLine(lines.at(-1) ?? '')) : '';
  return [
    label(''),
    span(`${spinner} `, 'cyan'),
    // A long name leaves room for what it says.
    said === '' ? flexible(name) : span(cut(name, Math.max(16, Math.floor(columns / 3)))),
    span(`  ${facts.join(', ')}`, 'dim'),
    ...(said === '' ? [] : [flexible(`  ${said}`, 'dim')]),
  ];
}

const outputLines = ({ lines }: RunningHook, { rows }: FrameOptions): Line[] =>
  (lines.length === 0 ? ['(nothing printed yet)'] : lines.slice(-Math.max(3, Math.floor(rows / 2) - 4))).map(line => [
    label(''),
    span('  | ', 'dim'),
    flexible(cut(indentedLine(line), 500), 'dim'),
  ]);
