import type { Engine } from '../engine/engine.ts';
import type { Progress } from '../engine/run-hook.ts';
import type { HookDefinition } from '../model/index.ts';
import type { StagePlan } from '../model/pipeline.ts';
import { withoutGlobalHooks } from '../pipeline/global-hooks.ts';
import { resultForJournal } from './journal-texts.ts';
import type { LoopParts } from './loop.ts';

/** One engine for each stage's hooks, and one for the events of the whole session. */
export interface Engines {
  session: Engine;
  of(stage: StagePlan): Engine;
  all(): readonly Engine[];
}

export function createEngines(loop: LoopParts): Engines {
  const { plan, hooks, durable } = loop;
  const create = (own: readonly HookDefinition[], disabledBy: string | undefined): Engine =>
    loop.createEngine(
      [...own, ...plan.hooks, ...(disabledBy === undefined ? hooks : withoutGlobalHooks(hooks, disabledBy))],
      {
        around: durable.around,
        onProgress: progress => report(loop, progress),
      },
    );
  const byStage = new Map(
    plan.stages.map(stage => [stage.index, create(stage.hooks, stage.disableGlobalHooks ? stage.id : globalOff(loop))]),
  );
  const ofAll = new Map(plan.stages.flatMap(stage => stage.hooks).map(hook => [hook.id, hook]));
  const isOff = plan.stages.length > 0 && plan.stages.every(stage => stage.disableGlobalHooks);
  const session = create([...ofAll.values()], isOff ? plan.name : globalOff(loop));
  return { session, of: stage => byStage.get(stage.index)!, all: () => [session, ...byStage.values()] };
}

const globalOff = ({ plan }: LoopParts): string | undefined => (plan.disableGlobalHooks ? plan.name : undefined);

function report(loop: LoopParts, progress: Progress): void {
  const { hook } = progress;
  const named = { hook: hook.id, name: loop.mask(hook.name), event: hook.event };
  const base = { at: new Date().toISOString(), session: loop.paths.name };
  if (progress.type === 'started') {
    loop.watcher.notice({ ...base, type: 'hook.started', ...named, wait: hook.wait, attempt: 1 });
    return;
  }
  if (progress.result.status !== 'finished') return;
  if (progress.warning) loop.watcher.remark({ level: 'warning', text: loop.mask(`${hook.name}: ${progress.warning}`) });
  const result = resultForJournal(progress.result, loop.mask);
  loop.tally.hook(named, result);
  loop.watcher.notice({ ...base, type: 'hook.finished', ...named, result });
}
