import type { AgentListener, AgentStart } from '../model/agent.ts';
import type { Decision } from '../model/index.ts';

/** A listener that breaks must not break the turn: what could not be asked is refused, what could not be told is said. */
export function withSafeListener(start: AgentStart): AgentStart {
  const told = start.listener;
  const show: AgentListener['show'] = activity => told.show(activity);
  const listener: AgentListener = {
    ask: (event, known) => unlessBroken(() => told.ask(event, known)),
    calling: event => unlessBroken(() => told.calling(event)),
    calledAnyway: async (event, refusal) => {
      try {
        await told.calledAnyway(event, refusal);
      } catch (error) {
        show({ kind: 'log', text: `${event.tool} was refused and called all the same: ${String(error)}` });
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

async function unlessBroken(ask: () => Promise<Decision>): Promise<Decision> {
  try {
    return await ask();
  } catch (error) {
    return { kind: 'block', reason: `nobody could be asked: ${String(error)}`, by: 'hookloop' };
  }
}
