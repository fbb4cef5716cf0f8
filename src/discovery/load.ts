import { dialects as allDialects } from '../dialects/index.ts';
import {
  type Dialect,
  type DialectName,
  dialectNames,
  type HookDefinition,
  type Normalised,
  type Places,
  type Problem,
  scopes,
} from '../model/index.ts';
import { findConfigs } from './find.ts';
import { createLook, type Look } from './look.ts';
import { type Env, findPlaces } from './places.ts';

export interface LoadOptions {
  cwd?: string;
  env?: Env;
  dialects?: readonly Dialect[];
  /** Only the hooks of this dialect; the others' files are not read. */
  only?: DialectName;
  look?: Look;
}

/** Every hook that applies in a folder, in the order in which hooks of one event run, and everything wrong with its files. */
export interface LoadedHooks {
  places: Places;
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
  /** Every hook file and folder of scripts that was found, as shown to people. */
  files: readonly string[];
}

export function loadHooks(options: LoadOptions = {}): LoadedHooks {
  const { cwd = process.cwd(), env = process.env, dialects = allDialects, look = createLook() } = options;
  const places = findPlaces(cwd, env, dialects, look);
  const problems: Problem[] = [];
  const hooks: HookDefinition[] = [];
  const names: string[] = [];
  const disables: NonNullable<Normalised['disables']>[number][] = [];
  for (const dialect of dialects.filter(({ name }) => options.only === undefined || name === options.only)) {
    const files = findConfigs(dialect, places, look);
    const normalised = dialect.normalise(files.found, places);
    names.push(...files.found.map(({ file }) => file));
    problems.push(...files.problems, ...normalised.problems);
    hooks.push(...normalised.hooks);
    disables.push(...(normalised.disables ?? []));
  }
  return { places, hooks: inOrder(hooks).map(hook => disable(hook, disables)), problems, files: names };
}

/** Stage, pipeline, project, user, plugin; inside a scope the order of dialects, then of the file. */
const inOrder = (hooks: readonly HookDefinition[]): HookDefinition[] =>
  hooks.toSorted(
    (a, b) =>
      scopes.indexOf(a.source.scope) - scopes.indexOf(b.source.scope) ||
      dialectNames.indexOf(a.source.dialect) - dialectNames.indexOf(b.source.dialect),
  );

function disable(
  hook: HookDefinition,
  disables: readonly NonNullable<Normalised['disables']>[number][],
): HookDefinition {
  const by = disables.find(
    ({ dialects, scopes: off }) => dialects.includes(hook.source.dialect) && off.includes(hook.source.scope),
  );
  return by ? { ...hook, disabled: by.why } : hook;
}
