import { maskDeep } from '../hooks/secrets/mask.ts';
import type { HookDefinition } from '../model/index.ts';
import { leftHooks } from '../session/state/work.ts';
import { createDurable } from './durable.ts';
import { createEngines } from './engines.ts';
import { hasNoFixLeft } from './gates.ts';
import { backgroundForJournal, eventForJournal, resultForJournal } from './journal-texts.ts';
import type { Loop, LoopPorts } from './loop.ts';
import type { OpenSession } from './open.ts';
import { createSeat } from './seat.ts';

export interface Assembly {
  session: OpenSession;
  ports: LoopPorts;
  /** Hooks of project, user and plugin. */
  hooks: readonly HookDefinition[];
  maxFailures?: number;
  /** First: end the session. Second: at once. */
  stop: AbortSignal;
  atOnce: AbortSignal;
}

/** Puts a loop together from a session and the world around it. */
export function assembleLoop({ session, ports, hooks, maxFailures, stop, atOnce }: Assembly): Loop {
  const { paths, plan, settings, values, run, journal, store, name, tellState } = session;
  const { work, ...state } = session.state;
  const hooksEnd = new AbortController();
  const endHooks = (): void => hooksEnd.abort();
  stop.addEventListener('abort', endHooks, { once: true });
  if (stop.aborted) endHooks();
  const forJournal = {
    text: ports.mask,
    result: (result: Parameters<typeof resultForJournal>[0]) => resultForJournal(result, ports.mask),
    event: (event: Parameters<typeof eventForJournal>[0]) => eventForJournal(event, ports.mask),
    value: (value: unknown) => maskDeep(value, ports.mask),
    background: (event: Parameters<typeof backgroundForJournal>[0]) => backgroundForJournal(event, ports.mask),
  };
  const durable = createDurable({
    ...{ journal, state, work, forJournal },
    hasNoFixLeft: (key, hook) => hasNoFixLeft(settings, key, hook),
  });
  const parts = {
    ...ports,
    ...{ store, name, tellState, plan, settings, paths, values, run, durable, hooks, stop, atOnce, endHooks },
    hooksEnd: hooksEnd.signal,
    left: leftHooks(work),
    closes: state.closes,
    failures: state.failures,
    ...(maxFailures !== undefined && { maxFailures }),
  };
  const engines = createEngines(parts);
  const loop: Loop = {
    ...parts,
    engines,
    seat: createSeat(() => loop),
    here: { scene: { engine: engines.session }, checking: new Set(), toldGone: new Set(), asked: new Map() },
  };
  return loop;
}
