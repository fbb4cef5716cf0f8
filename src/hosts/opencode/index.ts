import type { Host } from '../host.ts';
import { answer } from './answer.ts';
import { events } from './events.ts';
import { read } from './payload.ts';

export const opencode: Host = { name: 'opencode', events, projectVariables: [], capsTurns: false, read, answer };
