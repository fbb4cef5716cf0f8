import { join } from 'node:path';
import { folderIn, type HostConfig } from '../config.ts';
import { pluginFirstLine, pluginText } from './plugin.ts';

export const config: HostConfig = {
  name: 'opencode',
  file(scope, places) {
    const folder =
      scope === 'user'
        ? join(folderIn(places, 'XDG_CONFIG_HOME') ?? join(places.home, '.config'), 'opencode')
        : join(places.root, '.opencode');
    return join(folder, 'plugins', 'hookloop.js');
  },
  holds: { kind: 'code', text: pluginText, firstLine: pluginFirstLine },
};
