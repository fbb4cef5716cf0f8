import { join } from 'node:path';
import { folderIn, type HostConfig, type InstallPlaces } from '../config.ts';
import { pluginFirstLine, pluginText } from './plugin.ts';

const userFolder = (places: InstallPlaces): string =>
  join(folderIn(places, 'XDG_CONFIG_HOME') ?? join(places.home, '.config'), 'opencode');

export const config: HostConfig = {
  name: 'opencode',
  file: (scope, places) =>
    join(scope === 'user' ? userFolder(places) : join(places.root, '.opencode'), 'plugins', 'hookloop.js'),
  others: places =>
    [places.root, join(places.root, '.opencode'), userFolder(places)].flatMap(folder =>
      ['opencode.json', 'opencode.jsonc'].map(name => join(folder, name)),
    ),
  holds: { kind: 'code', text: pluginText, firstLine: pluginFirstLine },
};
