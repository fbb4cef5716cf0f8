import { join } from 'node:path';
import type { HostConfig } from '../config.ts';

export const config: HostConfig = {
  name: 'cursor',
  file: (scope, places) => join(scope === 'user' ? places.home : places.root, '.cursor', 'hooks.json'),
  holds: {
    kind: 'json',
    header: () => ({ version: 1 }),
    entry: ({ event, command }) => ({
      command,
      timeout: event.timeoutMs / 1000,
      ...(event.closed && { failClosed: true }),
    }),
  },
};
