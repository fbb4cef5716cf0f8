import type { Host } from '../host.ts';
import { answer } from './answer.ts';
import { events } from './events.ts';
import { read } from './payload.ts';

export const codex: Host = { name: 'codex', events, projectVariables: [], capsTurns: false, read, answer };
