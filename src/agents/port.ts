import type { AgentListener, AgentPort } from '../model/agent.ts';
import type { Decision } from '../model/index.ts';

/** What all agents have in common: one that is no longer wanted is not started, and a listener that breaks breaks no turn. */
export const agentPort = (agent: AgentPort): AgentPort => ({
  ...agent,
  async start(options) {
    if (options.signal.aborted) return { kind: 'failed', reason: 'cancelled before it was started' };
    return agent.start({ ...options, listener: withoutFailures(options.listener) });
  },
});

/** What could not be asked is refused, what could not be told is said. */
export function withoutFailures(told: AgentListener): AgentListener {
  const unlessBroken = (ask: () => Promise<Decision>): Promise<Decision> =>
    tried(ask, error => ({ kind: 'block', reason: `no one could be asked: ${error}`, by: 'hookloop' }));
  const orShown = (tell: () => Promise<void>, what: string): Promise<void> =>
    tried(tell, error => told.show({ kind: 'log', text: `${what}: ${error}` }));
  return {
    ask: (event, known) => unlessBroken(() => told.ask(event, known)),
    calling: event => unlessBroken(() => told.calling(event)),
    calledAnyway: (event, refusal) =>
      orShown(() => told.calledAnyway(event, refusal), `${event.tool} was refused but called anyway`),
    tell: event => orShown(() => told.tell(event), `${event.name} was lost`),
    show: activity => told.show(activity),
  };
}

async function tried<T>(work: () => Promise<T>, otherwise: (error: string) => T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    return otherwise(String(error));
  }
}
