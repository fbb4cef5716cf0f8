import { join } from 'node:path';
import { folderIn, type HostConfig, type InstallPlaces } from '../config.ts';

const userFolder = (places: InstallPlaces): string => folderIn(places, 'CODEX_HOME') ?? join(places.home, '.codex');

export const config: HostConfig = {
  name: 'codex',
  file: (scope, places) => join(scope === 'user' ? userFolder(places) : join(places.root, '.codex'), 'hooks.json'),
  others: places => [join(places.root, '.codex', 'config.toml'), join(userFolder(places), 'config.toml')],
  holds: {
    kind: 'json',
    header: () => ({}),
    entry: ({ event, command }) => ({ hooks: [{ type: 'command', command, timeout: event.timeoutMs / 1000 }] }),
    toml: 'config.toml',
  },
};
