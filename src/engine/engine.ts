import {
  type Decision,
  type DialectWire,
  type EventName,
  type EventResult,
  eventNames,
  type HookDefinition,
  type HookEvent,
  type HookId,
  type HookResult,
  isPending,
  type Places,
  proceed,
  strictest,
} from '../model/index.ts';
import { createMatch } from './match.ts';
import { type EnginePorts, type Firing, type PlannedHook, runHook } from './run-hook.ts';

export interface EngineOptions extends EnginePorts {
  /** In the order in which hooks of one event run. */
  hooks: readonly HookDefinition[];
  wires: readonly DialectWire[];
}

export interface Engine {
  /** Runs the hooks of one event and says what the session does next. Contract: never rejects for what a hook does. */
  fire(event: HookEvent, options?: FireOptions): Promise<EventResult>;
  /** Whether the event has hooks at all: what it carries may be costly to find out. */
  listensTo(event: EventName): boolean;
  /** Waits for the hooks that were started and not awaited. */
  settle(): Promise<void>;
}

export interface FireOptions {
  signal?: AbortSignal;
  /** Names this firing in its session. */
  key?: string;
}

export function createEngine({ hooks, wires, ...ports }: EngineOptions): Engine {
  const plans = planHooks(hooks, wires, ports.places);
  const shared = { ports, chains: new Map(), background: new Set<Promise<void>>() };
  let never: AbortSignal | undefined;
  return {
    async fire(event, { signal, key } = {}) {
      const ruled = (await ports.rule?.(event)) ?? proceed;
      const batches = plans.get(event.name);
      const firing: Firing = {
        ...shared,
        event,
        key,
        get signal() {
          if (signal) return signal;
          never ??= new AbortController().signal;
          return never;
        },
      };
      const result = batches ? await fireBatches(batches, firing) : nothingFor(event.name);
      return ruled === proceed ? result : { ...result, decision: strictest([ruled, result.decision]) };
    },
    listensTo: event => plans.has(event),
    async settle() {
      while (shared.background.size > 0) await Promise.all(shared.background);
    },
  };
}

/** A misspelt event must not look like one that every hook has passed. */
function nothingFor(event: EventName): EventResult {
  if (!eventNames.includes(event)) throw new TypeError(`there is no event "${event}"`);
  return { event, decision: proceed, feedback: '', results: [] };
}

async function fireBatches(batches: readonly Batch[], firing: Firing): Promise<EventResult> {
  const results: HookResult[] = [];
  let decision: Decision = proceed;
  const nameOf = (id: HookId): string =>
    batches.flatMap(({ hooks }) => hooks).find(({ hook }) => hook.id === id)?.hook.name ?? id;
  const take = (index: number, result: HookResult): void => {
    results[index] = result;
    if (result.status === 'finished' && result.decision !== proceed) decision = strictest([decision, result.decision]);
  };
  for (const { order, hooks } of batches) {
    if (order === 'side-by-side') {
      const stopped = whyStopped(decision, order, firing, nameOf);
      const ended = await Promise.all(hooks.map(planned => runHook(planned, firing, stopped)));
      for (const [at, result] of ended.entries()) take(hooks[at]!.index, result);
      continue;
    }
    for (const planned of hooks) {
      const own = planned.hook.always ? 'all-in-order' : order;
      const result = runHook(planned, firing, whyStopped(decision, own, firing, nameOf));
      take(planned.index, result instanceof Promise ? await result : result);
    }
  }
  const feedback = results
    .flatMap(result => (result.status === 'finished' && result.feedback ? [result.feedback] : []))
    .join('\n');
  return { event: firing.event.name, decision, feedback, results };
}

/**
 * A refusal ends the hooks after it; dialects that promise to run all of theirs still do, unless the session is over. What
 * has happened a hook can only send back, so the hooks after it run as well: one of them may end the session.
 */
function whyStopped(
  decision: Decision,
  order: DialectWire['order'],
  { event }: Firing,
  nameOf: (id: HookId) => string,
): string | undefined {
  // Whoever asks in our place may hear a yes, which must not carry what a later hook refuses.
  if (decision.kind === 'proceed' || (decision.kind === 'block' && decision.ask)) return undefined;
  if (decision.kind !== 'abort' && (order !== 'in-order' || !isPending(event.name))) return undefined;
  const what = decision.kind === 'abort' ? 'had already ended the session' : 'had already refused';
  return `"${nameOf(decision.by)}" ${what}`;
}

/** Hooks that run under one rule. Batches of an event run one after another. */
interface Batch {
  order: DialectWire['order'];
  hooks: PlannedHook[];
}

/** Hooks by event, cut into batches; hooks of a side-by-side dialect form one batch where the first of them stands. */
function planHooks(
  hooks: readonly HookDefinition[],
  wires: readonly DialectWire[],
  places: Places,
): Map<EventName, Batch[]> {
  const wireOf = new Map(wires.map(wire => [wire.name, wire]));
  const plans = new Map<EventName, Batch[]>();
  for (const hook of hooks) {
    const wire = wireOf.get(hook.source.dialect);
    if (!wire) continue;
    const batches = plans.get(hook.event) ?? [];
    plans.set(hook.event, batches);
    const own = hook.root === undefined ? places : { ...places, root: hook.root, repo: hook.root };
    const index = batches.reduce((count, batch) => count + batch.hooks.length, 0);
    batchFor(wire, batches).hooks.push({ hook, wire, whyNot: createMatch(hook, own), places: own, index });
  }
  return plans;
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
