import type { DialectWire, EventName, HookDefinition, Places } from '../model/index.ts';
import { createMatch, type WhyNot } from './match.ts';

export interface PlannedHook {
  hook: HookDefinition;
  wire: DialectWire;
  whyNot: WhyNot;
  /** As its own root sees them. */
  places: Places;
  /** Its place among all hooks of the event. */
  index: number;
}

/** Hooks that run under one rule. Batches of an event run one after another. */
export interface Batch {
  order: DialectWire['order'];
  hooks: PlannedHook[];
}

/** Hooks by event, cut into batches; hooks of a side-by-side dialect form one batch where the first of them stands. */
export function planHooks(
  hooks: readonly HookDefinition[],
  wires: readonly DialectWire[],
  places: Places,
): Map<EventName, Batch[]> {
  const wireOf = new Map(wires.map(wire => [wire.name, wire]));
  const plans = new Map<EventName, { batches: Batch[]; count: number }>();
  for (const hook of hooks) {
    const wire = wireOf.get(hook.source.dialect);
    if (!wire) continue;
    const plan = plans.get(hook.event) ?? { batches: [], count: 0 };
    plans.set(hook.event, plan);
    const own = hook.root === undefined ? places : { ...places, root: hook.root, repo: hook.root };
    batchFor(wire, plan.batches).hooks.push({
      hook,
      wire,
      whyNot: lazily(() => createMatch(hook, own)),
      places: own,
      index: plan.count,
    });
    plan.count += 1;
  }
  return new Map([...plans].map(([event, { batches }]) => [event, batches]));
}

function batchFor(wire: DialectWire, batches: Batch[]): Batch {
  const open =
    wire.order === 'side-by-side'
      ? batches.find(batch => batch.hooks[0]?.wire === wire)
      : batches.at(-1)?.order === wire.order
        ? batches.at(-1)
        : undefined;
  if (open) return open;
  const batch: Batch = { order: wire.order, hooks: [] };
  batches.push(batch);
  return batch;
}

/** Patterns are compiled when the first event asks for them. */
function lazily(make: () => WhyNot): WhyNot {
  let made: WhyNot | undefined;
  return event => {
    made ??= make();
    return made(event);
  };
}
