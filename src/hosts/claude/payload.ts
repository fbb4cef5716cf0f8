import type { Host } from '../host.ts';
import { toEvents } from '../shared/events.ts';
import { events } from './events.ts';

export const read: Host['read'] = (native, payload, now) => toEvents('claude', events[native]!.fires, payload, now);
