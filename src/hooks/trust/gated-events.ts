import { canRefuse } from '../../dialects/gates.ts';
import type { EventName, HookDefinition, HookEvent } from '../../model/index.ts';

/** The user's own files need no trust; those of a project do, and a plugin that lies inside it is the project's. */
export const needsTrust = ({ source: { scope, file } }: HookDefinition): boolean =>
  scope !== 'user' && (scope !== 'plugin' || !file.startsWith('/'));

/** The project's file that put a hook out; undefined where no one or the user did. */
export function disablingFile({ disabled }: Pick<HookDefinition, 'disabled'>): string | undefined {
  const file = disabled === undefined ? undefined : (/ in (.+)$/s.exec(disabled)?.[1] ?? disabled);
  return file?.startsWith('/') ? undefined : file;
}

/** Events whose gates refuse while they are not trusted. The end of a turn is not held up: it would never end. */
export const gatedEvents: ReadonlySet<EventName> = new Set<EventName>([
  'tool.calling',
  'permission.requesting',
  'prompt.submitting',
  'task.completing',
  'branch.creating',
  'commit.creating',
]);

/** Whether a hook can refuse one of these events; its own dialect knows. */
export const isGate = (hook: HookDefinition): boolean => gatedEvents.has(hook.event) && canRefuse(hook);

/** An event that a file may refuse; not where this agent runs the file's hooks itself. */
export interface Gate {
  event: EventName;
  notAgent?: string;
}

export const standsBefore = (event: HookEvent, gate: Gate): boolean =>
  gate.event === event.name && (gate.notAgent === undefined || gate.notAgent !== event.agent);
