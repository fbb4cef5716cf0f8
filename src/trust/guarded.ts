import type { EventName } from '../model/index.ts';

/** Events whose gates refuse while they are not trusted. The end of a turn is not held up: it would never end. */
export const guardedEvents: ReadonlySet<EventName> = new Set<EventName>([
  'tool.calling',
  'permission.requesting',
  'prompt.submitting',
  'task.completing',
  'branch.creating',
  'commit.creating',
]);
