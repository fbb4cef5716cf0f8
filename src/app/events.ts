import { claudesOwnEvents } from '../dialects/claude/claudes-own.ts';
import { spellingsOf } from '../dialects/wires.ts';
import { agentNames, hosts } from '../hosts/index.ts';
import { gitEventNames } from '../hosts/native-events.ts';
import { fieldDocs } from '../model/event-docs.ts';
import { coversEvent, type EventFields, type EventName, eventNames, fieldRules, isPending } from '../model/index.ts';

/** An event as the table of events has it. A contract with scripts: fields are added, never changed. */
export interface EventRow {
  event: EventName;
  /** It has not happened yet: hooks may refuse it. */
  pending: boolean;
  spellings: Readonly<Record<string, readonly string[]>>;
  /** `run`, and the agents whose own hooks fire it; `dispatch` fires any. */
  firesIn: readonly string[];
  fields: readonly { name: string; type: string; doc: string }[];
}

export const eventRows = (): EventRow[] =>
  eventNames.map(event => ({
    event,
    pending: isPending(event),
    spellings: Object.fromEntries(spellingsOf(event).map(({ dialect, spellings }) => [dialect, spellings])),
    firesIn: waysOf(event),
    fields: Object.entries(fieldRules)
      .filter(([, rule]) => coversEvent(rule.in, event))
      .map(([name, { type }]) => ({ name, type, doc: fieldDocs[name as keyof EventFields] })),
  }));

/** Events that `hookloop run` has no moment for. */
const neverInRun: ReadonlySet<EventName> = new Set<EventName>([
  'file.changed',
  'folder.changed',
  'instructions.loaded',
  'config.changing',
  'teammate.idling',
]);

/** Where an event fires by itself: in `run`, and in the hooks of agents that can call us. `dispatch` fires any. */
export const waysOf = (event: EventName): string[] => [
  ...(neverInRun.has(event) ? [] : ['run']),
  ...agentsFiring(event),
];

/** What git is about to do shows in the tool call that does it. */
function agentsFiring(event: EventName): string[] {
  const cause = (gitEventNames as readonly EventName[]).includes(event) ? 'tool.calling' : event;
  return agentNames.filter(agent => Object.values(hosts[agent].events).some(({ fires }) => fires.includes(cause)));
}

/** Names of events that only the program fires whose format they belong to. */
export const leftToClaude: readonly string[] = [...claudesOwnEvents];

/** Which of some events never fire by themselves, way by way. */
export interface NeverFired {
  inRun: readonly EventName[];
  /** From the own hooks of no agent. */
  byAgents: readonly EventName[];
  /** From the own hooks of some agents only. */
  onlyBy: readonly { event: EventName; agents: readonly string[] }[];
  /** The same, agent by agent. */
  byAgent: readonly { agent: string; never: readonly EventName[] }[];
}

export function neverFired(events: readonly EventName[] = eventNames): NeverFired {
  const firing = [...new Set(events)].map(event => ({ event, agents: agentsFiring(event) }));
  const onlyBy = firing.filter(({ agents }) => agents.length > 0 && agents.length < agentNames.length);
  return {
    inRun: firing.map(({ event }) => event).filter(event => neverInRun.has(event)),
    byAgents: firing.filter(({ agents }) => agents.length === 0).map(({ event }) => event),
    onlyBy,
    byAgent: agentNames.map(agent => ({
      agent,
      never: onlyBy.filter(({ agents }) => !agents.includes(agent)).map(({ event }) => event),
    })),
  };
}
