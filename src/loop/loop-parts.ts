import type { HookDefinition } from '../model/index.ts';
import { given } from '../model/json.ts';
import { defaultRules, type LoopRules } from '../model/limits.ts';
import { pipelineHooks } from '../model/pipeline.ts';
import { leftHooks } from '../session/state/work.ts';
import { type Budgets, createBudgets } from './budgets.ts';
import { createDurable } from './durable.ts';
import { createEngines, createFire, type Fire, hasNoFixLeft } from './fire.ts';
import { createLooks } from './looks.ts';
import type { OpenSession } from './open.ts';
import { createRecorded } from './recorded.ts';
import type { LoopPorts, Session } from './session.ts';
import { createSessionAgent, type SessionAgent } from './session-agent.ts';
import type { TaskBase } from './task-base.ts';

/** The parts of a running loop: what is true, the agent, and the hooks. */
export interface Loop {
  session: Session;
  agent: SessionAgent;
  fire: Fire;
  budgets: Budgets;
  /** Where the work on a task began. */
  base: TaskBase;
}

interface Assembly {
  session: OpenSession;
  ports: LoopPorts;
  /** Hooks of project, user and plugin. */
  hooks: readonly HookDefinition[];
  maxFailures?: number | undefined;
  rules?: LoopRules | undefined;
  maxWaitMs?: number | undefined;
  /** First: end the session. Second: at once. */
  stop: AbortSignal;
  atOnce: AbortSignal;
}

/** Puts together the loop of an open session. A process that loses it to another one stops at once. */
export function assembleLoop({
  session: opened,
  ports,
  hooks,
  maxFailures,
  maxWaitMs,
  rules = defaultRules,
  ...asked
}: Assembly): Loop {
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
    ...{ rules, stop, stopWish, atOnce, endHooks, hooksEnd: hooksEnd.signal },
    outside,
    left: leftHooks(work),
    ...given({ maxFailures, maxWaitMs }),
  };
  const looks = createLooks(known, [...pipelineHooks(plan), ...hooks]);
  const engines = createEngines(known, createEngine, looks);
  const session: Session = {
    ...known,
    now: { position: { engine: engines.session }, checking: new Set(), toldGone: new Set(), signedOut: new Map() },
  };
  const fire = createFire(session, engines);
  void looks.bind({ session, fire });
  const agentPorts = { agentFor, mcpServers, hookCommand, ...(askPerson && { askPerson }) };
  const budgets = createBudgets(session, fire);
  session.now.spending = budgets.spending;
  const agent = createSessionAgent(session, fire, budgets, agentPorts);
  return { session, fire, budgets, base: looks.base, agent };
}
