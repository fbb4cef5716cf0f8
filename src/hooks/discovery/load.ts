import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { isGateAsWritten } from '../../dialects/gates.ts';
import { dialects as allDialects } from '../../dialects/index.ts';
import { readSettings } from '../../dialects/native/settings.ts';
import {
  type Dialect,
  type DialectName,
  dialectNames,
  type HookDefinition,
  type LeftOut,
  type Normalised,
  type Places,
  type Problem,
  scopes,
} from '../../model/index.ts';
import { isWithin, withFoldersAbove } from '../../platform/folders.ts';
import { findConfigs } from './find-files.ts';
import { createLook, type Look } from './look.ts';

export interface LoadOptions {
  cwd?: string;
  env?: Env;
  dialects?: readonly Dialect[];
  /** Only the hooks of this dialect; the others' files are not read. */
  only?: DialectName;
  /** Roots that a session has had from its start: their gates apply whatever else is found. */
  roots?: readonly string[];
  look?: Look;
}

/** Every hook that applies in a folder, in the order in which hooks of one event run, and everything wrong with its files. */
export interface LoadedHooks {
  places: Places;
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
  /** Every hook file and folder of scripts that was found, as shown to people. */
  files: readonly string[];
  /** What the outer roots hold, each as it sees itself: of these hooks only the gates are among the others. */
  outer: readonly OuterRoot[];
  /** Roots whose own file says `root: true`, nearest first: once it is trusted, roots above do not count. */
  ends: readonly string[];
  /** Hooks of the nearest root that are left to the program whose format they are in. */
  leftOut: readonly LeftOut[];
}

export type OuterRoot = Pick<RootFiles, 'places' | 'hooks'>;

/** What the files of one root say. */
interface RootFiles {
  places: Places;
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
  files: readonly string[];
  leftOut: readonly LeftOut[];
}

export function loadHooks(options: LoadOptions = {}): LoadedHooks {
  const { cwd = process.cwd(), env = process.env, dialects = allDialects, look = createLook(), roots = [] } = options;
  const places = findPlaces(cwd, env, dialects, look, roots);
  const wanted = dialects.filter(({ name }) => options.only === undefined || name === options.only);
  const nearest = readRoot(places, wanted, look);
  const known = new Set(
    [...nearest.files, ...nearest.hooks.map(({ source }) => source.file)].map(file => resolve(places.root, file)),
  );
  const outer = (places.outer ?? []).map(root => readOuter({ ...places, root, repo: root }, known, wanted, look));
  const hooks = [nearest, ...outer].flatMap(root =>
    root === nearest
      ? root.hooks
      : root.hooks.filter(isGateAsWritten).map(hook => seenFrom(places.root, hook, root.places)),
  );
  return {
    places,
    hooks: inOrder(hooks, places),
    problems: [
      ...nearest.problems,
      ...outer.flatMap(root => root.problems.map(problem => problemFrom(places.root, problem, root.places))),
    ],
    files: [
      ...nearest.files,
      ...outer.flatMap(root => root.files.map(file => nameFrom(places.root, file, root.places.root))),
    ],
    outer,
    leftOut: nearest.leftOut,
    ends: [places.root, ...(places.outer ?? [])].slice(0, -1).filter(root => saysRoot(root, look)),
  };
}

/** The name of an outer root's file as the root in use has it: `../hookloop.yaml`. */
export const nameFrom = (root: string, file: string, outer: string): string => relative(root, join(outer, file));

/** The id of an outer root's hook as the root in use has it. */
export const idFrom = (root: string, { id, source: { dialect, file } }: HookDefinition, outer: string): string => {
  const own = `${dialect}:${file}`;
  return id.startsWith(own) ? `${dialect}:${nameFrom(root, file, outer)}${id.slice(own.length)}` : `${id}@${outer}`;
};

/** The outer root that a file belongs to: the innermost one that it lies in. */
export function outerRootOf(file: string, { root, outer = [] }: Places): string | undefined {
  if (!file.startsWith('../')) return undefined;
  const path = resolve(root, file);
  const around = outer.filter(folder => isWithin(path, folder));
  return around.toSorted((a, b) => b.length - a.length)[0];
}

/** The same without outer roots that do not count. */
export function withoutRoots<Loaded extends Pick<LoadedHooks, 'places' | 'hooks' | 'problems'>>(
  dropped: readonly string[],
  loaded: Loaded & { outer?: readonly OuterRoot[] },
): Loaded {
  const { outer = [], ...places } = loaded.places;
  const kept = outer.filter(folder => !dropped.includes(folder));
  return {
    ...loaded,
    places: { ...places, ...(kept.length > 0 && { outer: kept }) },
    hooks: loaded.hooks.filter(({ root }) => root === undefined || kept.includes(root)),
    problems: loaded.problems.filter(({ at }) => !dropped.includes(outerRootOf(at.file, loaded.places) ?? '')),
    ...(loaded.outer && { outer: loaded.outer.filter(root => !dropped.includes(root.places.root)) }),
  };
}

function readRoot(places: Places, dialects: readonly Dialect[], look: Look): RootFiles {
  const problems: Problem[] = [];
  const hooks: HookDefinition[] = [];
  const files: string[] = [];
  const leftOut: LeftOut[] = [];
  const disables: NonNullable<Normalised['disables']>[number][] = [];
  for (const dialect of dialects) {
    const { found, problems: unread } = findConfigs(dialect, places, look);
    const normalised = dialect.normalise(found, places);
    for (const { file } of found) files.push(file);
    for (const problem of [...unread, ...normalised.problems]) problems.push(problem);
    for (const hook of normalised.hooks) hooks.push(hook);
    disables.push(...(normalised.disables ?? []));
    leftOut.push(...(normalised.leftOut ?? []));
  }
  return { places, hooks: hooks.map(hook => disable(hook, disables)), problems, files, leftOut };
}

/** A root's own files and nothing of the user's, read as if it were the root in use: so its trust stays what it is. */
function readOuter(places: Places, known: ReadonlySet<string>, dialects: readonly Dialect[], look: Look): RootFiles {
  const { hooks, problems, files } = readRoot(places, dialects, look);
  const isOwn = (file: string): boolean => !file.startsWith('/') && !known.has(join(places.root, file));
  return {
    places,
    hooks: hooks.filter(({ source }) => isOwn(source.file)),
    problems: problems.filter(({ at }) => isOwn(at.file)),
    files: files.filter(isOwn),
    leftOut: [],
  };
}

/** The agent that was started in a nested root does not read the files of an outer one: we run those hooks for it. */
function seenFrom(root: string, hook: HookDefinition, { root: outer }: Places): HookDefinition {
  const { match, source, place, action } = hook;
  const file = nameFrom(root, source.file, outer);
  const { notAgent: _notAgent, ...matches } = match;
  return {
    ...hook,
    id: idFrom(root, hook, outer),
    match: matches,
    place: { ...place, from: nameFrom(root, place.from, outer) },
    action: action.kind === 'shell' && action.command === source.file ? { ...action, command: file } : action,
    source: { ...source, file },
    root: outer,
  };
}

const problemFrom = (root: string, problem: Problem, { root: outer }: Places): Problem => ({
  ...problem,
  at: { ...problem.at, file: nameFrom(root, problem.at.file, outer) },
});

/** Stage, pipeline, project, user, plugin; inside a scope the nearest root first, then the order of dialects, then of the file. */
function inOrder(hooks: readonly HookDefinition[], { outer = [] }: Places): HookDefinition[] {
  const rootRank = ({ root }: HookDefinition): number => (root === undefined ? -1 : outer.indexOf(root));
  return hooks.toSorted(
    (a, b) =>
      scopes.indexOf(a.source.scope) - scopes.indexOf(b.source.scope) ||
      rootRank(a) - rootRank(b) ||
      dialectNames.indexOf(a.source.dialect) - dialectNames.indexOf(b.source.dialect),
  );
}

function disable(
  hook: HookDefinition,
  disables: readonly NonNullable<Normalised['disables']>[number][],
): HookDefinition {
  const by = disables.find(
    ({ dialects, scopes: off }) => dialects.includes(hook.source.dialect) && off.includes(hook.source.scope),
  );
  return by ? { ...hook, disabled: by.why } : hook;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Finds the folders that hook locations are relative to. `settled`: roots that count as well, whatever is found. */
export function findPlaces(
  cwd: string,
  env: Env,
  dialects: readonly Dialect[] = allDialects,
  look: Look = createLook(),
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
function saysRoot(folder: string, look: Look): boolean {
  const content = look.text(join(folder, nativeFile));
  return content.kind === 'text' && readSettings(nativeFile, content.text).root === true;
}

const nativeFile = 'hookloop.yaml';

/** XDG says relative values are to be ignored. */
const absoluteOr = (value: string | undefined, otherwise: string): string =>
  value?.startsWith('/') ? value : otherwise;

/**
 * The nearest parent with hooks or `.git` is the root; inside a repository every further one up to its top is an
 * outer root. A parent that belongs to no repository of ours has no say beside a nearer one.
 */
function findRoots(
  cwd: string,
  holds: (folder: string) => boolean,
  look: Look,
): { root: string; outer: readonly string[] } {
  const folders = withFoldersAbove(cwd);
  const top = folders.findIndex(folder => look.isThere(join(folder, '.git')));
  if (top === -1)
    return { root: folders.find(holds) ?? folders.find(folder => isUsed(folder, look)) ?? cwd, outer: [] };
  const [root, ...outer] = folders.slice(0, top + 1).filter((folder, at) => at === top || holds(folder));
  return { root: root!, outer };
}

/** Where there is neither hook nor repository, a folder with settings or sessions is where commands below it belong. */
const isUsed = (folder: string, look: Look): boolean =>
  look.isThere(join(folder, nativeFile)) || look.isThere(join(folder, '.hookloop', 'sessions'));

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
