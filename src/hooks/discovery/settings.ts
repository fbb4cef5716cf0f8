import { config, readSettings, type Settings } from '../../dialects/native/config.ts';
import type { Places } from '../../model/index.ts';
import type { Look } from './look.ts';
import { pathOf } from './places.ts';

export type { Settings };

/** The settings of the project's file, and of the user's where the project's says nothing. */
export function loadSettings(places: Places, look: Look): Settings {
  const files = config.locations.map(location => {
    const path = pathOf(location, places);
    const content = path === undefined ? undefined : look.text(path);
    return content?.kind === 'text' ? readSettings(location.path, content.text) : {};
  });
  return Object.assign({}, ...files.toReversed());
}
