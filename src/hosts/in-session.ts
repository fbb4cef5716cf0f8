import { join } from 'node:path';
import type { AgentStart } from '../model/agent.ts';
import type { EventName } from '../model/index.ts';
import { makePrivateFolder, writeAtomically } from '../platform/files.ts';
import { type AgentName, agentNamed, hosts } from './index.ts';
import type { HostSettings } from './settings.ts';

/**
 * Makes an agent's own hooks call the session; nothing is written into the project. `command`: the line for `sh` that a
 * hook of the agent runs; `folder`: a private one for settings that the agent is started with; `isWanted`: whether a hook of
 * the session is for the event.
 */
export const createInSessionHooks =
  (
    command: (agent: string) => string,
    folder: string,
    isWanted: (event: EventName) => boolean,
  ): NonNullable<AgentStart['inSessionHooks']> =>
  async (name, env) => {
    const agent = agentNamed(name);
    if (agent === undefined) return {};
    const { hostSettings } = await import('./settings-table.ts');
    const settings = hostSettings[agent];
    const keep = (file: string, text: string): string => {
      makePrivateFolder(folder);
      writeAtomically(join(folder, file), text);
      return join(folder, file);
    };
    const hooks = () => entries(agent, settings, command(agent), isWanted);
    return settings.inSession?.({ hooks, keep }, env) ?? {};
  };

/** What befalls the agent itself, of which only it can tell. */
export const lifeEventNames = [
  'tools.called',
  'permission.denied',
  'notification.sent',
  'subagent.starting',
  'subagent.ending',
  'context.compacting',
  'context.compacted',
] as const satisfies readonly EventName[];

/** Only what the protocol does not tell, or tells when it is too late. */
const always: ReadonlySet<EventName> = new Set(['tool.calling', 'tool.called', 'tool.failed']);
const life: ReadonlySet<EventName> = new Set(lifeEventNames);

function entries(
  agent: AgentName,
  { holds }: HostSettings,
  command: string,
  isWanted: (event: EventName) => boolean,
): Record<string, readonly unknown[]> {
  if (holds.kind !== 'json') return {};
  const isPlugged = (name: EventName): boolean => always.has(name) || (life.has(name) && isWanted(name));
  const told = Object.entries(hosts[agent].events).filter(([, { fires }]) => fires.some(isPlugged));
  return Object.fromEntries(told.map(([native, event]) => [native, [holds.entry({ event, command })]]));
}
