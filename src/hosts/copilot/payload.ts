import type { Host, Payload } from '../host.ts';
import { parsed, textOf, toEvents } from '../shared/events.ts';
import { events } from './events.ts';

export const read: Host['read'] = (native, payload, now) =>
  toEvents('copilot', events[native]!.fires, toFields(payload), now);

/** Camel case; times are numbers; what a tool gets is an object or its JSON. */
function toFields({ timestamp, toolArgs, toolResult, error, ...rest }: Payload): Payload {
  return {
    ...rest,
    ...(typeof timestamp === 'number' ? { timestamp: timeText(timestamp) } : timestamp !== undefined && { timestamp }),
    ...(toolArgs !== undefined && { toolInput: parsed(toolArgs) }),
    ...(toolResult !== undefined && { toolOutput: parsed(toolResult) }),
    ...(error !== undefined && { error: textOf(error) }),
  };
}

/** Beyond what a date can be, a number stays one. */
const timeText = (ms: number): string => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms));
