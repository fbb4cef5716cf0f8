import type { Host } from '../host.ts';
import { answer } from './answer.ts';
import { events } from './events.ts';
import { read } from './payload.ts';

export const claude: Host = {
  name: 'claude',
  events,
  projectVariables: ['CLAUDE_PROJECT_DIR'],
  capsTurns: true,
  read,
  answer,
};
