import type { EventName } from '../../../model/index.ts';
import type { Notice } from '../../../model/notice.ts';
import { named } from '../../print/foreign.ts';
import type { Progress } from '../../print/progress.ts';
import { type Activity, followAgent } from './activity.ts';

export interface RunningHook {
  hook: string;
  name: string;
  event: EventName;
  /** Whether the session waits for it. */
  wait: boolean;
  attempt: number;
  sinceMs: number;
}

export interface LastResult {
  mark: 'done' | 'failed';
  name: string;
  durationMs: number;
}

/** What the live area shows. */
export interface View {
  progress: Progress;
  /** Names of stages in the order in which they run; the ones seen so far where nobody has told. */
  stages: readonly string[];
  agent: Activity;
  hooks: RunningHook[];
  /** Of this iteration, newest first. */
  results: LastResult[];
}

export const createView = (progress: Progress, stages: readonly string[] = []): View => ({
  progress,
  stages,
  agent: { kind: 'idle' },
  hooks: [],
  results: [],
});

/** Takes in a notice at the time it arrives; where the session is, `progress` has taken in already. */
export function followView(view: View, notice: Notice, nowMs: number): void {
  view.agent = followAgent(view.agent, notice, nowMs);
  switch (notice.type) {
    case 'iteration.starting':
    case 'stage.starting':
      view.results = [];
      break;
    case 'hook.started': {
      const { hook, event, wait, attempt } = notice;
      const known = view.hooks.find(
        running => running.hook === hook && running.event === event && running.attempt < attempt,
      );
      if (known) known.attempt = attempt;
      else view.hooks.push({ hook, event, wait, attempt, name: named(notice.name), sinceMs: nowMs });
      break;
    }
    case 'hook.finished': {
      const at = view.hooks.findIndex(({ hook, event }) => hook === notice.hook && event === notice.event);
      if (at !== -1) view.hooks.splice(at, 1);
      if (notice.result.status !== 'finished') break;
      const { verdict, durationMs } = notice.result;
      const mark = verdict.kind === 'passed' ? 'done' : 'failed';
      view.results = [{ mark, name: named(notice.name), durationMs } as const, ...view.results].slice(0, maxResults);
      break;
    }
  }
}

const maxResults = 6;
