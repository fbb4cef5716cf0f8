import type { Host } from '../host.ts';
import { answer } from './answer.ts';
import { events } from './events.ts';
import { read } from './payload.ts';

export const cursor: Host = {
  name: 'cursor',
  events,
  projectVariables: ['CURSOR_PROJECT_DIR', 'CLAUDE_PROJECT_DIR'],
  projectsField: 'workspace_roots',
  capsTurns: true,
  read,
  answer,
};
