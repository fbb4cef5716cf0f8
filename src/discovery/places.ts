import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { DialectConfig, Location, Places } from '../model/index.ts';
import type { Look } from './look.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** Finds the folders that hook locations are relative to. */
export function findPlaces(cwd: string, env: Env, dialects: readonly DialectConfig[], look: Look): Places {
  const home = env['HOME'] || homedir();
  const config = absoluteOr(env['XDG_CONFIG_HOME'], join(home, '.config'));
  const root = findRoot(resolve(cwd), home, dialects, look);
  const plugin = env['CLAUDE_PLUGIN_ROOT'];
  return {
    root,
    repo: absoluteOr(env['REPO_ROOT'], root),
    cwd: resolve(cwd),
    home,
    config,
    ...(plugin && { plugin: resolve(cwd, plugin) }),
  };
}

export function pathOf(location: Location, places: Places): string | undefined {
  const base = places[location.base];
  return base === undefined ? undefined : join(base, location.path);
}

/** XDG says relative values are to be ignored. */
const absoluteOr = (value: string | undefined, otherwise: string): string =>
  value?.startsWith('/') ? value : otherwise;

/** The nearest parent with a hook file of ours, `.a5c` or `.git`; the folder itself where there is none. */
function findRoot(cwd: string, home: string, dialects: readonly DialectConfig[], look: Look): string {
  const markers = dialects.flatMap(dialect => dialect.locations.filter(isMarker));
  // The user's own files in the home folder make no project of it.
  const userPaths = new Set(
    dialects.flatMap(dialect =>
      dialect.locations.filter(({ base }) => base === 'home').map(({ path }) => join(home, path)),
    ),
  );
  for (let folder = cwd; ; folder = dirname(folder)) {
    const isRoot =
      look.isThere(join(folder, '.git')) ||
      look.isThere(join(folder, '.a5c')) ||
      look.isThere(join(folder, '.hookloop', 'sessions')) ||
      markers.some(marker => !userPaths.has(join(folder, marker.path)) && isPresent(marker, folder, look));
    if (isRoot) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

const isMarker = (location: Location): boolean =>
  location.scope === 'project' && location.base === 'root' && location.holds === 'file';

function isPresent(marker: Location, folder: string, look: Look): boolean {
  const path = join(folder, marker.path);
  // What cannot be looked at may be the gate of this project.
  if (look.stat(path) === undefined) return typeof look.seen.get(path) === 'string' && marker.onlyIf === undefined;
  return marker.onlyIf === undefined || look.mentions(path, marker.onlyIf);
}
