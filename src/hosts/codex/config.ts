import { join } from 'node:path';
import { folderIn, type HostConfig } from '../config.ts';

export const config: HostConfig = {
  name: 'codex',
  file(scope, places) {
    const folder = scope === 'user' ? folderIn(places, 'CODEX_HOME') : undefined;
    return join(folder ?? join(scope === 'user' ? places.home : places.root, '.codex'), 'hooks.json');
  },
  holds: {
    kind: 'json',
    header: () => ({}),
    entry: ({ event, command }) => ({ hooks: [{ type: 'command', command, timeout: event.timeoutMs / 1000 }] }),
    toml: 'config.toml',
  },
};
