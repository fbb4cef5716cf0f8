import type { Host } from '../host.ts';
import { answer } from './answer.ts';
import { events } from './events.ts';
import { read } from './payload.ts';

export const copilot: Host = { name: 'copilot', events, projectVariables: [], capsTurns: true, read, answer };
