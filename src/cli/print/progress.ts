import type { Cost, Usage, UsageTotal } from '../../model/agent.ts';
import type { Spent } from '../../model/limits.ts';
import type { Notice } from '../../model/notice.ts';
import { budgetsWords } from '../../model/spent-words.ts';
import type { TaskCount } from '../../model/task-count.ts';
import { flat, named, shortened } from './text.ts';

/** Where a session is, as its notices tell. */
export interface SessionProgress {
  session: string;
  /** Of the first notice. */
  startMs?: number | undefined;
  /** Of the newest notice. */
  nowMs: number;
  stage?: string | undefined;
  stageSinceMs: number;
  iteration?: number | undefined;
  maxIterations?: number | undefined;
  iterationSinceMs: number;
  tasks?: TaskCount | undefined;
  usage?: Extract<Notice, { type: 'agent.usage' }> | undefined;
  task?: { id: string; content: string } | undefined;
  /** The tool call that hooks are asked about. */
  calling?: { tool: string; input: unknown };
}

export const createProgress = (): SessionProgress => ({
  session: '',
  nowMs: 0,
  stageSinceMs: 0,
  iterationSinceMs: 0,
});

/** Takes in what a notice says about where the session is. */
export function follow(progress: SessionProgress, notice: Notice): void {
  const at = Date.parse(notice.at);
  if (!Number.isNaN(at)) progress.nowMs = at;
  progress.startMs ??= progress.nowMs;
  progress.session = notice.session;
  if ('tasksTotal' in notice && notice.tasksTotal !== undefined)
    progress.tasks = { tasksDone: 0, tasksFailed: 0, ...notice, tasksTotal: notice.tasksTotal };
  switch (notice.type) {
    case 'stage.starting':
      enterStage(progress, notice.stage);
      progress.maxIterations = notice.maxIterations;
      break;
    case 'iteration.starting':
      if (notice.stage !== undefined && notice.stage !== progress.stage) enterStage(progress, notice.stage);
      progress.iteration = notice.iteration;
      progress.maxIterations = notice.maxIterations ?? progress.maxIterations;
      progress.iterationSinceMs = progress.nowMs;
      progress.task = undefined;
      break;
    case 'agent.usage':
      progress.usage = notice;
      break;
    case 'stage.completed':
      [progress.iteration, progress.task] = [undefined, undefined];
      break;
    case 'task.starting':
      progress.task = { id: notice.taskId ?? '', content: notice.content ?? '' };
      break;
    case 'tool.calling':
      progress.calling = { tool: notice.tool ?? '', input: notice.input };
      break;
    case 'session.completed':
    case 'session.failed':
    case 'session.ended':
      enterStage(progress, undefined);
      break;
  }
}

function enterStage(progress: SessionProgress, stage: string | undefined): void {
  Object.assign(progress, {
    stage,
    stageSinceMs: progress.nowMs,
    iteration: undefined,
    maxIterations: undefined,
    task: undefined,
  });
}

/** Where a session is, as `build 2` for its second iteration: how many there will be, no one knows. */
export function positionWords({
  stage,
  iteration,
}: Pick<SessionProgress, 'stage' | 'iteration' | 'maxIterations'>): string {
  if (stage === undefined) return '';
  return `${shortened(named(stage), 24)}${iteration === undefined ? '' : ` ${iteration}`}`;
}

/** What a session has used, as far as its agents tell: `48k tokens`, `$0.31`. */
export function usageWords({ tokens, costs }: UsageTotal): string[] {
  const all = tokens.input + tokens.output;
  return [...(all > 0 ? [`${shortCount(all)} tokens`] : []), ...costs.map(costWords)];
}

const shortCount = (count: number): string => {
  if (count < 1000) return String(count);
  const [size, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1e6, 'M'];
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)}${unit}`;
};

const costWords = ({ amount, currency }: Cost): string => {
  const digits = amount < 0.995 && amount > 0 ? Math.min(4, 1 - Math.floor(Math.log10(amount))) : 2;
  return currency === 'USD' ? `$${amount.toFixed(digits)}` : `${amount.toFixed(digits)} ${flat(currency)}`;
};

/** What is spent of budgets, where there are any: `spent 0.42 of 5 USD, 12 of 40 turns`. */
export const spentWords = (budgets: readonly Spent[] = []): string[] =>
  budgets.length === 0 ? [] : [`spent ${budgetsWords(budgets).join(', ')}`];

/** How full the model's context is, as a share. */
export const contextWords = ({ contextUsed, contextSize }: Usage): string[] =>
  contextUsed !== undefined && contextSize ? [`context ${Math.round((100 * contextUsed) / contextSize)} %`] : [];
