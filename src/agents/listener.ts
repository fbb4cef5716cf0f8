import type { AgentListener, AgentStart } from '../model/agent.ts';

/** A listener that breaks must not break the turn: what could not be asked is refused, what could not be told is said. */
export function withSafeListener(start: AgentStart): AgentStart {
  const told = start.listener;
  const show: AgentListener['show'] = activity => told.show(activity);
  const listener: AgentListener = {
    ask: async event => {
      try {
        return await told.ask(event);
      } catch (error) {
        return { kind: 'block', reason: `nobody could be asked: ${String(error)}`, by: 'hookloop' };
      }
    },
    tell: async event => {
      try {
        await told.tell(event);
      } catch (error) {
        show({ kind: 'log', text: `${event.name} was lost: ${String(error)}` });
      }
    },
    show,
  };
  return { ...start, listener };
}
