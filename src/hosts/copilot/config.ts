import { join } from 'node:path';
import { folderIn, type HostConfig, type InstallPlaces } from '../config.ts';

const userFolder = (places: InstallPlaces): string => folderIn(places, 'COPILOT_HOME') ?? join(places.home, '.copilot');

export const config: HostConfig = {
  name: 'copilot',
  file(scope, places) {
    if (scope === 'user') return join(userFolder(places), 'hooks', 'hookloop.json');
    const path = scope === 'shared' ? 'hooks/hookloop.json' : 'copilot/settings.local.json';
    return join(places.root, '.github', path);
  },
  others: places => [
    join(places.root, '.github', 'copilot', 'settings.json'),
    ...['config.json', 'settings.json'].map(name => join(userFolder(places), name)),
  ],
  holds: {
    kind: 'json',
    header: scope => (scope === 'project' ? {} : { version: 1 }),
    entry: ({ event, command }) => ({ type: 'command', bash: command, timeoutSec: event.timeoutMs / 1000 }),
  },
  http: 'Copilot takes https alone where tools can be refused, and runs the tool when the call fails: gates would vanish',
};
