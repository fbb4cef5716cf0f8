import type { EventName, HookEvent } from '../../model/index.ts';

/** Events whose gates refuse while they are not trusted. The end of a turn is not held up: it would never end. */
export const guardedEvents: ReadonlySet<EventName> = new Set<EventName>([
  'tool.calling',
  'permission.requesting',
  'prompt.submitting',
  'task.completing',
  'branch.creating',
  'commit.creating',
]);

/** An event that a file may refuse; not where this agent runs the file's hooks itself. */
export interface Gate {
  event: EventName;
  notAgent?: string;
}

export const standsBefore = (event: HookEvent, gate: Gate): boolean =>
  gate.event === event.name && (gate.notAgent === undefined || gate.notAgent !== event.agent);
