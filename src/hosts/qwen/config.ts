import { join } from 'node:path';
import type { HostConfig } from '../config.ts';

export const config: HostConfig = {
  name: 'qwen',
  file: (scope, places) => join(scope === 'user' ? places.home : places.root, '.qwen', 'settings.json'),
  holds: {
    kind: 'json',
    header: () => ({}),
    // Milliseconds, for commands.
    entry: ({ event, command }) => ({
      hooks: [{ type: 'command', name: 'hookloop', command, timeout: event.timeoutMs }],
    }),
  },
};
