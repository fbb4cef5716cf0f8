import type { Host, Payload } from '../host.ts';
import { textOf, toEvents } from '../shared/events.ts';
import { events } from './events.ts';

export const read: Host['read'] = (native, payload, now) =>
  toEvents('opencode', events[native]!.fires, toFields(payload), now);

/** What the plugin sends: the fields of opencode's own arguments, and the folder. */
function toFields({ sessionID, callID, args, directory, error, ...rest }: Payload): Payload {
  return {
    ...rest,
    session: sessionID,
    ...(callID !== undefined && { toolCallId: callID }),
    ...(args !== undefined && { input: args }),
    ...(directory !== undefined && { cwd: directory }),
    ...(error !== undefined && { error: textOf(error) }),
  };
}
