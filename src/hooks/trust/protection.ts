import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import {
  type Decision,
  type HookDefinition,
  type HookEvent,
  type Places,
  printable,
  proceed,
} from '../../model/index.ts';
import { callFiles, callKinds, claudeFamilyName, shellTextsOf } from '../../model/tool-call.ts';
import { isFolder, isWithin, realPath } from '../../platform/folders.ts';

/** What an agent may not change by itself: the hooks that it is held to, and all that decides about them. */
export interface Protection {
  root: string;
  home: string;
  /** Absolute paths, and what they are to people. */
  files: ReadonlyMap<string, string>;
  /** Everything in them; without what an agent has to write there. */
  folders: ReadonlyMap<string, string>;
  /** By agent, its files that say which hooks it runs: all of them count where one holds entries of ours. */
  settings: ReadonlyMap<string, readonly string[]>;
}

interface Protected {
  places: Places;
  hooks: readonly HookDefinition[];
  /** Files that hooks name and run. */
  scripts: readonly string[];
  /** The user's folders. */
  state: string | undefined;
  cache: string | undefined;
  claims: string | undefined;
  /** The file that was started. */
  program: string | undefined;
  settings: Protection['settings'];
}

export function protectionOf(held: Protected): Protection {
  const { places, hooks, scripts, state, cache, claims, program, settings } = held;
  const { root, home, config, outer = [] } = places;
  const hookFiles = new Set(hooks.map(({ source }) => resolve(root, source.file)));
  const own = program === undefined ? [] : [program];
  return {
    ...{ root, home },
    files: named([
      ...own.map(path => [path, 'is hookloop itself'] as const),
      ...scripts.map(path => [path, 'is run by a hook'] as const),
      ...[...hookFiles].map(path => [path, 'holds hooks'] as const),
    ]),
    folders: named([
      ...[root, ...outer].map(folder => [join(folder, '.hookloop'), "holds hookloop's sessions"] as const),
      [join(config || join(home, '.config'), 'hookloop'), "holds the user's hooks"],
      ...(state === undefined ? [] : [[state, "is hookloop's record of what is trusted"] as const]),
      ...(cache === undefined ? [] : [[cache, "is hookloop's cache of compiled hooks"] as const]),
      ...(claims === undefined ? [] : [[claims, "is hookloop's record of decisions"] as const]),
      // A project may lie in the folder of a program that was put there: it is no part of it.
      ...own
        .map(path => dirname(realPath(path)))
        .filter(folder => !isWithin(realPath(root), folder))
        .map(folder => [folder, 'is hookloop itself'] as const),
    ]),
    settings,
  };
}

/** Under the names they are known by, and by where those lead. */
const named = (paths: readonly (readonly [path: string, why: string])[]): ReadonlyMap<string, string> =>
  new Map([...paths.map(([path, why]) => [realPath(path), why] as const), ...paths]);

/**
 * The rule for tool calls that would lift the gates: changes of what is protected, and commands that are for people. A
 * person is asked where one can be. `isOff`: the user wants no such rule; looked at only where it would refuse.
 */
export function createHookRule(
  protection: () => Protection,
  isOff: () => Promise<boolean>,
): (event: HookEvent) => Promise<Decision> {
  return async event => {
    if (event.name !== 'tool.calling') return proceed;
    let known: KnownNow | undefined;
    const look = (): KnownNow => {
      known ??= asItIsNow(protection());
      return known;
    };
    const why = (edits(event) ? whyNotEdited(event, look()) : undefined) ?? (await whyNotRun(event, look));
    if (why === undefined || (await isOff())) return proceed;
    return { kind: 'block', reason: `hookloop: ${why}`, by: 'hookloop', ask: true };
  };
}

interface KnownNow extends Protection {
  /** Where settings files lead. */
  leads(): ReadonlyMap<string, string>;
}

/** Looked at once for a call, whose command may name thousands of paths, and not at all for one that changes nothing. */
function asItIsNow(held: Protection): KnownNow {
  let leads: ReadonlyMap<string, string> | undefined;
  return {
    ...held,
    leads() {
      leads ??= new Map([...held.settings.values()].flat().map(file => [file, realPath(file)]));
      return leads;
    },
  };
}

/** Why a path is protected, for people; undefined where it is not. `whole`: it goes with all that is in it. */
function whyProtected(path: string, known: KnownNow, whole = false): string | undefined {
  const { root, files, folders } = known;
  for (const at of new Set([path, realPath(path)])) {
    const file = files.get(at) ?? whySettings(at, known);
    const folder = [...folders].find(([place]) => isWithin(at, place) && !isForAgents(relative(place, at)));
    const inside = whole ? insideOf(at, known) : undefined;
    const [place, why] = file !== undefined ? [at, file] : ((folder && [at, folder[1]]) ?? inside ?? []);
    if (place !== undefined) return `${shown(place, root)} ${why}`;
  }
  return undefined;
}

/** What goes with a folder. */
function insideOf(folder: string, { files, folders, settings }: Protection): readonly [string, string] | undefined {
  const held = [...settings.values()].flat().find(file => isWithin(file, folder) && hasEntries(file));
  const place = [...files, ...folders].find(([path]) => isWithin(path, folder));
  return place ?? (held === undefined ? undefined : [held, 'calls hookloop']);
}

/** A file that does not exist yet counts too: it may switch all hooks off. */
function whySettings(path: string, { settings, leads }: KnownNow): string | undefined {
  for (const [agent, files] of settings) {
    if (!files.some(file => file === path || leads().get(file) === path)) continue;
    if (hasEntries(path)) return 'calls hookloop';
    if (files.some(hasEntries)) return `is a settings file of ${agent}, which calls hookloop`;
  }
  return undefined;
}

/** Tools of servers are known by their names alone. */
function edits(event: HookEvent): boolean {
  const kinds = callKinds(event);
  const { tool = '' } = event;
  const ownName = (claudeFamilyName(tool) ?? tool).split('__').at(-1)!;
  return kinds.has('edit') || ((kinds.size === 0 || kinds.has('mcp')) && changing.test(ownName));
}

const changing = /write|edit|create|move|rename|copy|delete|remove|update|replace|insert|append|patch|save|put|modify/i;

const inHome = (path: string, home: string): string => path.replace(/^~(?=\/|$)/, home);

/** Tools of servers have any fields: what they call a path. */
const foreignFiles = (input: unknown): string[] =>
  Object.entries(typeof input === 'object' && input !== null ? input : {}).flatMap(([field, value]) =>
    /path|file|source|destination|target|uri/i.test(field)
      ? [...textsIn(value)].map(text => text.replace(/^file:\/\//, ''))
      : [],
  );

function* textsIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null && depth < 5)
    for (const child of Object.values(value)) yield* textsIn(child, depth + 1);
}

function whyNotEdited(event: HookEvent, protection: KnownNow): string | undefined {
  const cwd = folderOf(event, protection);
  const foreign = callKinds(event).has('edit') ? [] : foreignFiles(event.input);
  for (const file of [...callFiles(event), ...foreign]) {
    const why = whyProtected(resolve(cwd, file), protection, true);
    if (why !== undefined) return notByItself(why);
  }
  return undefined;
}

async function whyNotRun(event: HookEvent, look: () => KnownNow): Promise<string | undefined> {
  if (!callKinds(event).has('shell')) return undefined;
  const texts = shellTextsOf(event.input);
  if (texts.length === 0) return undefined;
  const { matchesOf, readDeeds } = await import('./shell-deeds.ts');
  const deeds = texts.map(readDeeds);
  const [command] = deeds.flatMap(({ commands }) => commands);
  if (command !== undefined)
    return `${printable(command)} is for people only: an agent may not lift its own gates. A person can run it in their own terminal`;
  const changes = deeds.flatMap(each => each.changes);
  if (changes.length === 0) return undefined;
  const protection = look();
  const cwd = folderOf(event, protection);
  const { home } = protection;
  const known = [...protection.files.keys(), ...protection.folders.keys(), ...[...protection.settings.values()].flat()];
  for (const { path, whole, folders } of changes)
    for (const folder of ['', ...folders])
      for (const at of matchesOf(resolve(cwd, inHome(folder, home), inHome(path, home)), known)) {
        const why = whyProtected(at, protection, whole);
        if (why !== undefined) return notByItself(why);
      }
  return undefined;
}

/** Paths are relative to where the agent is, or says that its command is to run, as far as that is a place. */
function folderOf({ cwd = '', input }: HookEvent, { root }: Protection): string {
  const at = cwd.startsWith('/') && isFolder(cwd) ? cwd : root;
  const { workdir, cwd: own, directory, dir_path: path } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const told = [workdir, own, directory, path].find(value => typeof value === 'string' && isFolder(resolve(at, value)));
  return resolve(at, (told as string | undefined) ?? '');
}

const notByItself = (why: string): string =>
  `${printable(why)}, so an agent may not change it on its own: a person has to do it, or agree to it`;

/** What agents are told to write in the folder of their session. */
const isForAgents = (path: string): boolean =>
  /^sessions\/[^/]+\/(.*\/)?(status\.json|output\.json|output\.md|progress\.md)$/.test(path);

const shown = (path: string, root: string): string => (isWithin(path, root) ? relative(root, path) || path : path);

function hasEntries(file: string): boolean {
  try {
    return /hookloop/.test(readFileSync(file, 'utf8'));
  } catch {
    return existsSync(file);
  }
}
