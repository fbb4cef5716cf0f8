import { join } from 'node:path';
import { folderIn, type HostConfig } from '../config.ts';

export const config: HostConfig = {
  name: 'gemini',
  file(scope, places) {
    const base = scope === 'user' ? (folderIn(places, 'GEMINI_CLI_HOME') ?? places.home) : places.root;
    return join(base, '.gemini', 'settings.json');
  },
  holds: {
    kind: 'json',
    header: () => ({}),
    // Milliseconds.
    entry: ({ event, command }) => ({
      hooks: [{ type: 'command', name: 'hookloop', command, timeout: event.timeoutMs }],
    }),
  },
};
