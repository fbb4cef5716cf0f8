import type { HookEvent, HookResult } from '../model/index.ts';
import type { HookSummary, StageSummary } from '../model/notice.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import { createWorkClock } from '../session/history/clock.ts';
import { countedAs } from '../session/history/counted.ts';
import type { SessionEntry } from './recover.ts';
import { limitOf } from './stage.ts';

/** Counts what happened, for the summary at the end. */
export interface Tally {
  event(event: HookEvent): void;
  hook(hook: { hook: string; name: string; event: HookEvent['name'] }, result: HookResult): void;
  /** What earlier processes of this session did. */
  replay(entries: readonly SessionEntry[]): void;
  iterations(): number;
  /** How long the session was worked on, by clocks that no one sets; the time between two processes is no work. */
  workedMs(): number;
  /** How long a stage has worked, until now or until it ended. */
  stageMs(stage: string): number;
  stages(status: 'completed' | 'failed' | 'interrupted'): StageSummary[];
  hooks(): HookSummary[];
}

interface Counted {
  iterations: number;
  failed: number;
  /** By the session's work, as `endedMs`. */
  startedMs: number;
  endedMs?: number;
  reason?: string;
}

export function createTally(plan: PipelinePlan): Tally {
  const stages = new Map<string, Counted>();
  const hooks = new Map<string, HookSummary>();
  const before = createWorkClock();
  let fromMs = performance.now();
  const workedMs = (): number => before.workedMs() + performance.now() - fromMs;
  const tally: Tally = {
    event(event) {
      if (event.stage !== undefined) count(stages, event, event.stage, workedMs());
    },
    hook({ hook, name, event }, result) {
      if (result.status !== 'finished') return;
      // After an edit of its file the same entry may be another hook.
      const id = `${hook}\n${name}`;
      const counted = countedAs(result);
      const sum = hooks.get(id) ?? { hook, name, event, runs: 0, failed: 0, refused: 0, totalMs: 0 };
      hooks.set(id, {
        ...sum,
        runs: sum.runs + 1,
        failed: sum.failed + (counted === 'failed' ? 1 : 0),
        refused: sum.refused + (counted === 'refused' ? 1 : 0),
        totalMs: sum.totalMs + result.durationMs,
      });
    },
    replay(entries) {
      for (const entry of entries) {
        before.add(entry);
        if (entry.kind === 'event' && entry.event.stage !== undefined)
          count(stages, entry.event, entry.event.stage, before.workedMs());
        if (entry.kind === 'hook.finished') tally.hook(entry, entry.result);
      }
      fromMs = performance.now();
    },
    iterations: () => [...stages.values()].reduce((sum, { iterations }) => sum + iterations, 0),
    workedMs: () => Math.round(workedMs()),
    stageMs: stage => stageMs(stages.get(stage), workedMs()),
    stages: status =>
      plan.stages.map(stage => {
        const counted = stages.get(stage.id);
        const base = { stage: stage.id, maxIterations: limitOf(stage) };
        if (!counted) return { ...base, status: 'skipped', iterations: 0, failedIterations: 0, durationMs: 0 };
        const { iterations, failed, reason } = counted;
        const ended = counted.endedMs === undefined ? status : 'completed';
        const durationMs = stageMs(counted, workedMs());
        return { ...base, status: ended, iterations, failedIterations: failed, durationMs, ...(reason && { reason }) };
      }),
    hooks: () => [...hooks.values()],
  };
  return tally;
}

const stageMs = (counted: Counted | undefined, nowMs: number): number =>
  counted ? Math.round((counted.endedMs ?? nowMs) - counted.startedMs) : 0;

function count(stages: Map<string, Counted>, event: HookEvent, stage: string, atMs: number): void {
  const known = stages.get(stage) ?? { iterations: 0, failed: 0, startedMs: atMs };
  stages.set(stage, known);
  if (event.name === 'stage.starting' || event.name === 'iteration.starting') reopen(known, atMs);
  if (event.name === 'iteration.starting') known.iterations = Math.max(known.iterations, event.iteration ?? 0);
  if (event.name === 'iteration.failed') known.failed += 1;
  if (event.name !== 'stage.completed') return;
  // Told again where a hook of it failed: its work was over before.
  known.endedMs ??= atMs;
  if (event.status !== undefined) known.reason = event.status;
}

/** Done anew: what it took before counts, the time since does not. */
function reopen(stage: Counted, atMs: number): void {
  if (stage.endedMs === undefined) return;
  stage.startedMs += atMs - stage.endedMs;
  delete stage.endedMs;
}
