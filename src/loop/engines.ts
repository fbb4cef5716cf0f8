import type { Engine } from '../engine/engine.ts';
import type { Progress } from '../engine/run-hook.ts';
import type { HookDefinition } from '../model/index.ts';
import type { StagePlan } from '../model/pipeline.ts';
import { parseKey } from '../model/step-key.ts';
import { hasNoFixLeft } from './gates.ts';
import { resultForJournal } from './journal-texts.ts';
import type { LoopParts } from './loop.ts';
import { withoutGlobalHooks } from './pipeline/global-hooks.ts';

/** One engine for each stage's hooks, and one for the events of the whole session. */
export interface Engines {
  session: Engine;
  of(stage: StagePlan): Engine;
  /** An engine of one hook, for one that is taken up. */
  alone(hook: HookDefinition): Engine;
  all(): readonly Engine[];
}

export function createEngines(loop: LoopParts): Engines {
  const { plan, hooks, durable } = loop;
  const needs = { around: durable.around, onProgress: (progress: Progress) => report(loop, progress) };
  const create = (own: readonly HookDefinition[], disabledBy: string | undefined): Engine =>
    loop.createEngine(
      [...own, ...plan.hooks, ...(disabledBy === undefined ? hooks : withoutGlobalHooks(hooks, disabledBy))],
      needs,
    );
  const byStage = new Map(
    plan.stages.map(stage => [stage.index, create(stage.hooks, stage.disableGlobalHooks ? stage.id : globalOff(loop))]),
  );
  const ofAll = new Map(plan.stages.flatMap(stage => stage.hooks).map(hook => [hook.id, hook]));
  const isOff = plan.stages.length > 0 && plan.stages.every(stage => stage.disableGlobalHooks);
  const session = create([...ofAll.values()], isOff ? plan.name : globalOff(loop));
  const alone: Engine[] = [];
  return {
    session,
    of: stage => byStage.get(stage.index)!,
    alone(hook) {
      const engine = loop.createEngine([hook], needs);
      alone.push(engine);
      return engine;
    },
    all: () => [session, ...byStage.values(), ...alone],
  };
}

const globalOff = ({ plan }: LoopParts): string | undefined => (plan.disableGlobalHooks ? plan.name : undefined);

function report(loop: LoopParts, progress: Progress): void {
  const { hook, key } = progress;
  const { stage, iteration, maxIterations } = progress.event;
  const named = {
    ...{ hook: hook.id, name: loop.mask(hook.name), event: hook.event },
    ...(stage !== undefined && { stage }),
    ...(iteration !== undefined && { iteration }),
    ...(maxIterations !== undefined && { maxIterations }),
  };
  const base = { at: new Date().toISOString(), session: loop.paths.name };
  if (progress.type === 'started') {
    loop.watcher.notice({ ...base, type: 'hook.started', ...named, wait: hook.wait, attempt: progress.attempt });
    return;
  }
  if (progress.result.status !== 'finished') return;
  if (progress.warning) loop.watcher.remark({ level: 'warning', text: loop.mask(`${hook.name}: ${progress.warning}`) });
  const result = resultForJournal(progress.result, loop.mask);
  const isRefused = progress.result.decision.kind !== 'proceed';
  const isLast = isRefused && key !== undefined && hasNoFixLeft(loop.settings, parseKey(key), hook);
  loop.watcher.notice({ ...base, type: 'hook.finished', ...named, result, ...(isLast && { noFixLeft: true }) });
}
