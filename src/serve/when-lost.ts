import { type AgentName, agentNames, hosts } from '../hosts/index.ts';
import { isRefusedInDoubt } from '../hosts/reply.ts';
import { ownLimitMs } from '../hosts/respond.ts';

/** What a caller does on its own where an answer does not come, and how long it waits for one; 0 is without end. */
export interface WhenLost {
  exitCode: number;
  limitSeconds: number;
}

/** A gate that cannot answer says no (2); for the rest it is an error that people see (1). */
export function whenLost([command, agent, native]: readonly string[]): WhenLost {
  const known = agentNames.find(name => name === agent);
  if (command !== 'hook' || !known || native === undefined) return { exitCode: 2, limitSeconds: 0 };
  const event = nativeEvent(known, native);
  if (!event) return { exitCode: 1, limitSeconds: 60 };
  // Later than we give up ourselves, and before the agent does.
  const limitMs = (ownLimitMs(event.timeoutMs) + event.timeoutMs) / 2;
  return {
    exitCode: event.blocks && isRefusedInDoubt(event.fires) ? 2 : 1,
    limitSeconds: Math.max(1, Math.floor(limitMs / 1000)),
  };
}

const nativeEvent = (agent: AgentName, native: string) => {
  const { events } = hosts[agent];
  return Object.hasOwn(events, native) ? events[native] : undefined;
};
