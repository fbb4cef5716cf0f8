import type { Host } from '../host.ts';
import { answer } from './answer.ts';
import { events } from './events.ts';
import { read } from './payload.ts';

export const qwen: Host = {
  name: 'qwen',
  events,
  projectVariables: ['QWEN_PROJECT_DIR', 'CLAUDE_PROJECT_DIR'],
  capsTurns: true,
  read,
  answer,
};
