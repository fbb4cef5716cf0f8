import { counted, durationWords, elapsedWords } from '../../../model/words.ts';
import type { Colours } from '../../print/paint.ts';
import { cut, folded, named, shortened, taskId, textWidth } from '../../print/text.ts';
import { flexible, paintLine, type Span, type Symbols, span } from './line.ts';
import { paragraphOf, type RunningHook, type View } from './live-state.ts';

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
}

/** The live area as lines that fit the terminal; where it is too low, what matters least is left out. */
export function frameLines(view: View, options: FrameOptions): string[] {
  const spinner = options.symbols.spinner[Math.floor(options.nowMs / spinMs) % options.symbols.spinner.length]!;
  const blocks: Block[] = [
    { rank: 7, lines: [[]] },
    { rank: 1, lines: [headLine(view, options)] },
    { rank: 2, lines: iterationLines(view, options) },
    { rank: 4, lines: taskLines(view) },
    { rank: 3, lines: agentLines(view, options, spinner) },
    { rank: 5, lines: hookLines(visibleHooks(view, options.nowMs), options, spinner) },
    { rank: 6, lines: resultLines(view, options) },
    { rank: 0, lines: options.questions },
  ];
  return fitting(blocks, options.rows - 1)
    .slice(-Math.max(1, options.rows - 1))
    .map(line => paintLine(line, options.columns - 1, options.colours));
}

/** Whether something turns, so that the area changes by itself many times a second. */
export const isTurning = (view: View, nowMs: number): boolean =>
  turningKinds.has(view.agent.kind) || visibleHooks(view, nowMs).length > 0;

const turningKinds: ReadonlySet<View['agent']['kind']> = new Set(['silent', 'thinking', 'working']);

/** How long each picture of a spinner stands. */
export const spinMs = 100;

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
const visibleHooks = ({ hooks }: View, nowMs: number): readonly RunningHook[] =>
  hooks.filter(({ sinceMs }) => nowMs - sinceMs >= flashMs);

export const flashMs = 200;

const labelWidth = 11;
const label = (text: string): Span => span(`  ${text.padEnd(labelWidth)}`, 'dim');

function headLine({ progress, stages }: View, { nowMs, sinceMs, symbols }: FrameOptions): Line {
  const dot = span(`  ${symbols.dot}  `, 'dim');
  const { stage } = progress;
  const at = stage === undefined ? -1 : stages.indexOf(stage);
  const count = at === -1 || stages.length < 2 ? '' : `, stage ${at + 1} of ${stages.length}`;
  return [
    span('  '),
    flexible(named(progress.session), 'bold'),
    ...(stage === undefined ? [] : [dot, span(`${named(stage)}${count}`)]),
    dot,
    span(elapsedWords(nowMs - sinceMs), 'dim'),
  ];
}

function iterationLines({ progress }: View, { columns, symbols }: FrameOptions): Line[] {
  const { iteration, maxIterations, iterationsDone } = progress;
  if (iteration === undefined) return [];
  if (maxIterations === undefined) return [[label('iteration'), span(String(iteration))]];
  const count = `${iteration} of ${maxIterations}  `;
  const room = Math.min(40, columns - 1 - labelWidth - 2 - textWidth(count) - 2);
  if (room < 6) return [[label('iteration'), span(count)]];
  const done = Math.min(room, Math.round((room * iterationsDone) / Math.max(1, maxIterations)));
  return [
    [
      label('iteration'),
      span(count),
      span(symbols.bar[0].repeat(done), 'cyan'),
      span(symbols.bar[1].repeat(room - done), 'dim'),
    ],
  ];
}

function taskLines({ progress: { task } }: View): Line[] {
  if (task === undefined) return [];
  const id = taskId(task.id);
  return [[label('task'), ...(id === '' ? [] : [span(`${id}  `, 'dim')]), flexible(shortened(task.content))]];
}

function agentLines({ agent, progress, hooks }: View, { columns, nowMs }: FrameOptions, spinner: string): Line[] {
  const turning = span(`${spinner} `, 'cyan');
  switch (agent.kind) {
    case 'unprompted':
      return [];
    case 'silent':
      return hooks.some(({ event, wait }) => wait && event === 'prompt.submitting')
        ? []
        : [[label('agent'), turning, span(`no word yet  ${elapsedWords(nowMs - agent.sinceMs)}`, 'dim')]];
    case 'idle':
      return progress.iteration === undefined ? [] : [[label('agent'), span('waits', 'dim')]];
    case 'thinking':
      return [[label('agent'), turning, span(`thinks  ${elapsedWords(nowMs - agent.sinceMs)}`, 'dim')]];
    case 'working': {
      const { title, sinceMs } = agent.tools.at(-1)!;
      const more = agent.tools.length > 1 ? `  and ${counted(agent.tools.length - 1, 'more tool')}` : '';
      return [[label('agent'), turning, flexible(title), span(`  ${elapsedWords(nowMs - sinceMs)}${more}`, 'dim')]];
    }
    case 'speaking':
      return folded(paragraphOf(agent), Math.max(10, columns - 1 - labelWidth - 2))
        .slice(-2)
        .map((line, at) => [label(at === 0 ? 'agent' : ''), span(line)]);
  }
}

const maxHooks = 5;

function hookLines(hooks: readonly RunningHook[], { nowMs }: FrameOptions, spinner: string): Line[] {
  const shown = hooks.slice(0, maxHooks).map(({ name, attempt, sinceMs }, at): Line => {
    const again = attempt > 1 ? `  attempt ${attempt}` : '';
    return [
      label(at === 0 ? (hooks.length === 1 ? 'hook' : 'hooks') : ''),
      span(`${spinner} `, 'cyan'),
      flexible(name),
      span(`  ${elapsedWords(nowMs - sinceMs)}${again}`, 'dim'),
    ];
  });
  const more = hooks.length - shown.length;
  return more > 0 ? [...shown, [label(''), span(`and ${more} more`, 'dim')]] : shown;
}

const maxResultName = 24;

/** As many of the newest as the line holds. */
function resultLines({ results }: View, { columns, symbols }: FrameOptions): Line[] {
  if (results.length === 0) return [];
  const line: Span[] = [label('finished')];
  let room = columns - 1 - labelWidth - 2;
  for (const [at, { mark, name, durationMs }] of results.entries()) {
    const parts = [
      span(`${at === 0 ? '' : '   '}${symbols.marks[mark]} `, mark === 'failed' ? 'red' : 'cyan'),
      span(cut(name, maxResultName)),
      span(` ${durationWords(durationMs)}`, 'dim'),
    ];
    room -= parts.reduce((sum, { text }) => sum + textWidth(text), 0);
    if (room < 0 && at > 0) break;
    line.push(...parts);
  }
  return [line];
}
