import { join } from 'node:path';
import { folderIn, type HostConfig } from '../config.ts';

export const config: HostConfig = {
  name: 'claude',
  file(scope, places) {
    if (scope === 'user')
      return join(folderIn(places, 'CLAUDE_CONFIG_DIR') ?? join(places.home, '.claude'), 'settings.json');
    return join(places.root, '.claude', scope === 'shared' ? 'settings.json' : 'settings.local.json');
  },
  holds: {
    kind: 'json',
    header: () => ({}),
    entry: ({ event, command }) => ({ hooks: [{ type: 'command', command, timeout: event.timeoutMs / 1000 }] }),
  },
  http: {
    // Around tools: many, and somebody waits. The others come once a turn, or are understood by their exit code alone.
    natives: ['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure'],
    first: 'UserPromptSubmit',
    entry: ({ event, url, variable }) => ({
      hooks: [
        {
          type: 'http',
          url,
          headers: { Authorization: `Bearer $${variable}` },
          allowedEnvVars: [variable],
          timeout: event.timeoutMs / 1000,
          ...(event.closed && { onFailure: 'block' }),
        },
      ],
    }),
  },
};
