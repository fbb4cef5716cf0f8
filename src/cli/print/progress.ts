import type { Notice } from '../../model/notice.ts';
import { named, shortened } from './text.ts';

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
  /** How many of the stage's iterations have ended. */
  iterationsDone: number;
  task?: { id: string; content: string } | undefined;
  /** The tool call that hooks are asked about. */
  calling?: { tool: string; input: unknown };
}

export const createProgress = (): SessionProgress => ({
  session: '',
  nowMs: 0,
  stageSinceMs: 0,
  iterationSinceMs: 0,
  iterationsDone: 0,
});

/** Takes in what a notice says about where the session is. */
export function follow(progress: SessionProgress, notice: Notice): void {
  const at = Date.parse(notice.at);
  if (!Number.isNaN(at)) progress.nowMs = at;
  progress.startMs ??= progress.nowMs;
  progress.session = notice.session;
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
      progress.iterationsDone = Math.max(0, (notice.iteration ?? 1) - 1);
      progress.task = undefined;
      break;
    case 'iteration.completed':
    case 'iteration.failed':
      progress.iterationsDone = notice.iteration ?? progress.iterationsDone + 1;
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
    iterationsDone: 0,
    task: undefined,
  });
}

/** Where a session is, as `build 2/5`. */
export function positionWords({
  stage,
  iteration,
  maxIterations,
}: Pick<SessionProgress, 'stage' | 'iteration' | 'maxIterations'>): string {
  if (stage === undefined) return '';
  const count = iteration === undefined ? '' : ` ${iteration}${maxIterations === undefined ? '' : `/${maxIterations}`}`;
  return `${shortened(named(stage), 24)}${count}`;
}
