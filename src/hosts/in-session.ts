import { join } from 'node:path';
import type { AgentStart } from '../model/agent.ts';
import type { EventName } from '../model/index.ts';
import { makePrivateFolder, writeAtomically } from '../platform/files.ts';
import { type AgentName, agentNamed, hosts } from './index.ts';
import type { HostSettings } from './settings.ts';

/**
 * Makes an agent's own hooks call the session; nothing is written into the project. `command`: the line for `sh` that a
 * hook of the agent runs; `folder`: a private one for settings that the agent is started with.
 */
export const createInSessionHooks =
  (command: (agent: string) => string, folder: string): NonNullable<AgentStart['inSessionHooks']> =>
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
    return settings.inSession?.({ hooks: () => entries(agent, settings, command(agent)), keep }, env) ?? {};
  };

/** Only what the protocol does not tell, or tells when it is too late. */
const wanted: ReadonlySet<EventName> = new Set(['tool.calling', 'tool.called', 'tool.failed']);

function entries(agent: AgentName, { holds }: HostSettings, command: string): Record<string, readonly unknown[]> {
  if (holds.kind !== 'json') return {};
  const told = Object.entries(hosts[agent].events).filter(([, { fires }]) => fires.some(name => wanted.has(name)));
  return Object.fromEntries(told.map(([native, event]) => [native, [holds.entry({ event, command })]]));
}
