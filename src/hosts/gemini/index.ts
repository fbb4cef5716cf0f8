import type { Host } from '../host.ts';
import { answer } from './answer.ts';
import { events } from './events.ts';
import { read } from './payload.ts';

export const gemini: Host = {
  name: 'gemini',
  events,
  projectVariables: ['GEMINI_PROJECT_DIR', 'CLAUDE_PROJECT_DIR'],
  capsTurns: false,
  read,
  answer,
};
