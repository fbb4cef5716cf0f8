import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readSettings } from '../../dialects/native/config.ts';
import type { Dialect, Places } from '../../model/index.ts';
import { findConfigs } from './find.ts';
import type { Look } from './look.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** Finds the folders that hook locations are relative to. `settled`: roots that count as well, whatever is found. */
export function findPlaces(
  cwd: string,
  env: Env,
  dialects: readonly Dialect[],
  look: Look,
  settled: readonly string[] = [],
): Places {
  const home = env['HOME'] || homedir();
  const config = absoluteOr(env['XDG_CONFIG_HOME'], join(home, '.config'));
  const { root, outer } = findRoots(resolve(cwd), folder => holdsHooks(folder, { home, config }, dialects, look), look);
  const further = [...outer, ...settled.filter(folder => folder !== root && !outer.includes(folder))];
  const plugin = env['CLAUDE_PLUGIN_ROOT'];
  return {
    root,
    repo: absoluteOr(env['REPO_ROOT'], root),
    cwd: resolve(cwd),
    home,
    config,
    ...(plugin && { plugin: resolve(cwd, plugin) }),
    ...(further.length > 0 && { outer: further }),
  };
}

/** Whether the hookloop.yaml of a folder says that hooks of folders above do not apply. */
export function saysRoot(folder: string, look: Look): boolean {
  const content = look.text(join(folder, nativeFile));
  return content.kind === 'text' && readSettings(nativeFile, content.text).root === true;
}

const nativeFile = 'hookloop.yaml';

/** XDG says relative values are to be ignored. */
const absoluteOr = (value: string | undefined, otherwise: string): string =>
  value?.startsWith('/') ? value : otherwise;

/**
 * The nearest parent with hooks or `.git` is the root; inside of a repository every further one up to its top is an
 * outer root. A parent that belongs to no repository of ours has no say beside a nearer one.
 */
function findRoots(
  cwd: string,
  holds: (folder: string) => boolean,
  look: Look,
): { root: string; outer: readonly string[] } {
  const folders = withParents(cwd);
  const top = folders.findIndex(folder => look.isThere(join(folder, '.git')));
  if (top === -1)
    return { root: folders.find(holds) ?? folders.find(folder => isUsed(folder, look)) ?? cwd, outer: [] };
  const [root, ...outer] = folders.slice(0, top + 1).filter((folder, at) => at === top || holds(folder));
  return { root: root!, outer };
}

/** Where there is neither hook nor repository, a folder with settings or sessions is where commands below it belong. */
const isUsed = (folder: string, look: Look): boolean =>
  look.isThere(join(folder, nativeFile)) || look.isThere(join(folder, '.hookloop', 'sessions'));

function withParents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

/** A settings file without hooks makes no root. One that cannot be read may be the gate of this project. */
function holdsHooks(
  folder: string,
  user: Pick<Places, 'home' | 'config'>,
  dialects: readonly Dialect[],
  look: Look,
): boolean {
  const places: Places = { ...user, root: folder, repo: folder, cwd: folder };
  return (
    dialects.some(dialect => {
      // The user's own files in the home folder make no project of it.
      const own = new Set(
        dialect.locations.filter(({ base }) => base === 'home').map(({ path }) => join(user.home, path)),
      );
      const locations = dialect.locations.filter(
        ({ scope, path }) => scope === 'project' && !own.has(join(folder, path)),
      );
      const { found, problems } = findConfigs({ ...dialect, locations }, places, look);
      if (problems.length > 0) return true;
      const normalised = dialect.normalise(found, places);
      return normalised.hooks.length > 0 || normalised.problems.some(({ severity }) => severity === 'error');
    }) || saysRoot(folder, look)
  );
}
