import type { HookDefinition } from '../model/index.ts';
import { leftHooks } from '../session/state/work.ts';
import { createDurable } from './durable.ts';
import { createEngines, createFire, type Fire, hasNoFixLeft } from './fire.ts';
import type { OpenSession } from './open.ts';
import { createRecorded } from './recorded.ts';
import type { LoopPorts, Session } from './session.ts';
import { createSessionAgent, type SessionAgent } from './session-agent.ts';

/** The parts of a running loop: what is true, the agent, and the hooks. */
export interface Loop {
  session: Session;
  agent: SessionAgent;
  fire: Fire;
}

interface Assembly {
  session: OpenSession;
  ports: LoopPorts;
  /** Hooks of project, user and plugin. */
  hooks: readonly HookDefinition[];
  maxFailures?: number | undefined;
  /** First: end the session. Second: at once. */
  stop: AbortSignal;
  atOnce: AbortSignal;
}

/** Puts together the loop of an open session. A process that loses it to another one stops at once. */
export function assembleLoop({ session: opened, ports, hooks, maxFailures, ...asked }: Assembly): Loop {
  const { paths, plan, settings, values, run, journal, store, name, keep, tellState, lease, stopWish } = opened;
  const stop = AbortSignal.any([asked.stop, stopWish.signal, lease.lost]);
  const atOnce = AbortSignal.any([asked.atOnce, lease.lost]);
  const { createEngine, agentFor, askPerson, mcpServers, hookCommand, watcher, mask, env, ...outside } = ports;
  const { work, ...state } = opened.state;
  const hooksEnd = new AbortController();
  const endHooks = (): void => hooksEnd.abort();
  stop.addEventListener('abort', endHooks, { once: true });
  if (stop.aborted) endHooks();
  const durable = createDurable({
    ...{ journal, state, work, mask, recorded: createRecorded(mask, keep) },
    hasNoFixLeft: (key, hook) => hasNoFixLeft(settings, key, hook),
  });
  const known = {
    ...{ store, name, tellState, plan, settings, paths, values, run, lease, durable, hooks, watcher, mask, env },
    ...{ stop, stopWish, atOnce, endHooks, hooksEnd: hooksEnd.signal, outside },
    left: leftHooks(work),
    ...(maxFailures !== undefined && { maxFailures }),
  };
  const engines = createEngines(known, createEngine);
  const session: Session = {
    ...known,
    now: { position: { engine: engines.session }, checking: new Set(), toldGone: new Set() },
  };
  const fire = createFire(session, engines);
  const agentPorts = { agentFor, mcpServers, hookCommand, ...(askPerson && { askPerson }) };
  return { session, fire, agent: createSessionAgent(session, fire, agentPorts) };
}
