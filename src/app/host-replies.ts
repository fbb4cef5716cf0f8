import { agentNamed, agentNames, hosts } from '../hosts/index.ts';
import { isRefusedInDoubt, refusalReply } from '../hosts/reply.ts';
import { ownLimitMs } from '../hosts/respond.ts';
import type { EntryCall } from './answer-host.ts';

/** A call of an agent's own hooks, as its entry names it. */
export type Called = Pick<EntryCall, 'agent' | 'event'>;

export const isAgent = (name: string): boolean => agentNamed(name) !== undefined;

/** What an agent takes for a no where no hook was asked; blank where it has no word for that. */
export function refusalForAgent({ agent, event = '' }: Called, reason: string): string {
  const known = agentNamed(agent);
  return known ? hosts[known].answer(event, refusalReply(reason)).stdout : '';
}

/** What a caller does on its own where an answer does not come, and how long it waits for one; 0 is without end. */
export interface WhenLost {
  exitCode: number;
  limitSeconds: number;
}

/** A gate that cannot answer says no (2); for the rest it is an error that people see (1). */
export function whenLost({ agent, event: native }: Called): WhenLost {
  const known = agentNamed(agent);
  if (!known || native === undefined) return { exitCode: 2, limitSeconds: 0 };
  const { events } = hosts[known];
  const event = Object.hasOwn(events, native) ? events[native] : undefined;
  if (!event) return { exitCode: 1, limitSeconds: 60 };
  // Later than we give up ourselves, and before the agent does.
  const limitMs = (ownLimitMs(event.timeoutMs) + event.timeoutMs) / 2;
  return {
    exitCode: event.blocks && isRefusedInDoubt(event.fires) ? 2 : 1,
    limitSeconds: Math.max(1, Math.floor(limitMs / 1000)),
  };
}

/** The variable in which an agent names its project. */
export function projectVariable(agent: string): string | undefined {
  const known = agentNamed(agent);
  return known && hosts[known].projectVariables[0];
}

/** Those of all agents. */
export const projectVariables = (): string[] => agentNames.flatMap(name => hosts[name].projectVariables);
