import type { Engine } from '../engine/engine.ts';
import type { ActionKind, EventResult, HookDefinition, HookEvent, Places } from '../model/index.ts';
import { joinSignals } from '../platform/cancel.ts';
import type { DispatchActions, DispatchActionsContext } from './dispatch-actions.ts';

/** The actions of these hooks that reach beyond a shell; undefined, and nothing is loaded, where there are none. */
export async function openActions(
  hooks: readonly HookDefinition[],
  context: DispatchActionsContext,
  places: Places,
  event: HookEvent,
): Promise<DispatchActions | undefined> {
  if (hooks.every(({ action }) => ownKinds.has(action.kind))) return undefined;
  return (await import('./dispatch-actions.ts')).openDispatchActions(context, places, event);
}

/** What needs nothing beyond a shell. */
const ownKinds: ReadonlySet<ActionKind> = new Set<ActionKind>(['shell', 'deny', 'tell']);

/** Fires one event outside sessions. What no one waits for gets its time, and is ended then. */
export async function fireOutside(
  engine: Engine,
  event: HookEvent,
  opened: DispatchActions | undefined,
  signals: readonly AbortSignal[],
): Promise<EventResult> {
  const all = opened ? [...signals, opened.signal] : signals;
  const joined = all.length > 1 ? joinSignals(...all) : undefined;
  try {
    const signal = joined?.signal ?? signals[0];
    const result = await engine.fire(event, signal ? { signal } : {});
    await (opened ? opened.finish(engine.settle()) : engine.settle());
    return result;
  } finally {
    joined?.clear();
  }
}
