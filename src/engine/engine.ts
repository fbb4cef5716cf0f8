import { carrying, changedInput, withInput } from '../model/changed-call.ts';
import {
  type DialectWire,
  type EventName,
  type EventResult,
  eventNames,
  type HookDefinition,
  type HookEvent,
  type Places,
  proceed,
  strictest,
} from '../model/index.ts';
import { type Batch, fireBatches } from './fire-batches.ts';
import { createMatch } from './match.ts';
import type { EnginePorts, Firing } from './run-hook.ts';

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
  /** Hooks decide about the input and change nothing of it. */
  fixedInput?: boolean;
}

export function createEngine({ hooks, wires, ...ports }: EngineOptions): Engine {
  const plans = planHooks(hooks, wires, ports.places);
  const shared = { ports, chains: new Map(), background: new Set<Promise<void>>() };
  const { rule } = ports;
  let never: AbortSignal | undefined;
  const begin = (event: HookEvent, { signal, key, fixedInput }: FireOptions): Firing => ({
    ...shared,
    event,
    key,
    fixedInput: fixedInput === true,
    get signal() {
      if (signal) return signal;
      never ??= new AbortController().signal;
      return never;
    },
  });
  return {
    async fire(event, options = {}) {
      const ruled = rule ? await rule(event) : proceed;
      const batches = plans.get(event.name);
      const result = batches ? await fireBatches(batches, begin(event, options)) : nothingFor(event.name);
      const input = changedInput(result.decision);
      const ruledAgain = input === undefined || !rule ? proceed : await rule(withInput(event, input));
      return ruled === proceed && ruledAgain === proceed
        ? result
        : { ...result, decision: carrying(strictest([ruled, ruledAgain, result.decision]), input) };
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
