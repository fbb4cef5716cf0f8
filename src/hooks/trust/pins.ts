import { join } from 'node:path';
import { readSettings } from '../../dialects/native/settings.ts';
import { type HookDefinition, type HookId, isJudge, type Places } from '../../model/index.ts';
import { shownPath } from '../discovery/find-files.ts';
import { idFrom, nameFrom, type OuterRoot, outerRootOf } from '../discovery/load.ts';
import { type Fingerprint, fingerprintOf, isFresh, type Look, statOf } from '../discovery/look.ts';
import { disablingFile, type Gate, isGate, needsTrust } from './gated-events.ts';
import { canonical, hashFile, normalHook, sha256 } from './hashes.ts';
import { namedFiles } from './named-files.ts';

/** What a hook file says and runs, as one hash. */
export interface FilePin {
  hash: string;
  /** Events that one of its hooks may refuse, of those that are refused while it is not trusted. */
  gates: readonly Gate[];
  /** Its hooks run only with their pipeline. */
  pipeline?: true;
}

/** A path that a hook names, and the file there: how it looked and what was in it. Without a look it is always read again. */
export type ScriptMark = readonly [path: string, hash: string | null, looked: Fingerprint | undefined];

/** What trust is about, as a compiled plan carries it. */
export interface Pins {
  files: Readonly<Record<string, FilePin>>;
  /** Over all files whose hooks run without a pipeline. */
  hash: string;
  scripts: Readonly<Record<HookId, readonly ScriptMark[]>>;
  /** Outer roots whose files are among these, under names that begin with `../`. */
  outer?: readonly string[];
}

/** What a pin was made of. */
export interface PinnedFile {
  hooks: readonly Readonly<Record<string, unknown>>[];
  settings: Readonly<Record<string, unknown>>;
  /** Paths as shown to people, and the hashes of the files there. */
  scripts: Readonly<Record<string, string>>;
  /** What its hooks run and do not name, as it is written. No part of the hash: the hooks are. */
  unpinned?: readonly string[];
}

export interface Pinned extends Pins {
  contents: Readonly<Record<string, PinnedFile>>;
}

interface PinOptions {
  hooks: readonly HookDefinition[];
  places: Places;
  /** Sees every path that the hooks name, so that a compiled plan knows when it is stale. */
  look: Look;
  outer?: readonly OuterRoot[];
}

/** Pins the hooks of a project: what `trust` accepts, and what every later state is compared with. */
export function pinHooks({ hooks, places, look, outer = [] }: PinOptions): Pinned {
  const own = pinRoot({ hooks: hooks.filter(({ root }) => root === undefined), places, look });
  const others = outer.map(root => pinnedFrom(places.root, pinRoot({ ...root, look }), root));
  if (others.length === 0) return own;
  const files = Object.assign({}, own.files, ...others.map(pinned => pinned.files)) as Pins['files'];
  return {
    files,
    hash: hashOf(Object.entries(files).filter(([, { pipeline }]) => !pipeline)),
    scripts: Object.assign({}, own.scripts, ...others.map(pinned => pinned.scripts)),
    outer: outer.map(({ places: { root } }) => root),
    contents: Object.assign({}, own.contents, ...others.map(pinned => pinned.contents)),
  };
}

/** Pins without those of outer roots that do not count. */
export function withoutPinsOf(dropped: readonly string[], pins: Pins, places: Places): Pins {
  const files = Object.entries(pins.files).filter(([file]) => !dropped.includes(outerRootOf(file, places) ?? ''));
  return {
    ...pins,
    files: Object.fromEntries(files),
    hash: hashOf(files.filter(([, { pipeline }]) => !pipeline)),
    outer: (pins.outer ?? []).filter(folder => !dropped.includes(folder)),
  };
}

/** An outer root's pins are those that it has by itself; only the names are seen from the root in use. */
function pinnedFrom(
  root: string,
  { files, scripts, contents }: Pinned,
  { places, hooks }: OuterRoot,
): Omit<Pinned, 'hash'> {
  const renamed = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(record).map(([file, value]) => [nameFrom(root, file, places.root), value]));
  const ids = hooks.filter(({ id }) => Object.hasOwn(scripts, id));
  return {
    files: Object.fromEntries(
      Object.entries(renamed(files)).map(([file, { hash, gates, ...pin }]) => [
        file,
        // Whoever the agent is: it was not started in that root, so it does not run these hooks itself.
        { ...pin, hash, gates: gates.map(({ event }) => ({ event })) },
      ]),
    ),
    scripts: Object.fromEntries(ids.map(hook => [idFrom(root, hook, places.root), scripts[hook.id]!])),
    contents: renamed(contents),
  };
}

function pinRoot({ hooks, places, look }: Omit<PinOptions, 'outer'>): Pinned {
  const startedAt = Date.now();
  const wanted = hooks.filter(needsTrust);
  const named = wanted.map(hook => ({ hook, ...namedFiles(hook, places) }));
  const marks = Object.fromEntries(
    named.map(({ hook, paths }) => [hook.id, paths.map(path => markOf(path, look, startedAt))] as const),
  );
  const settings = settingsIn(hooks, places, look);
  const names = [...new Set([...wanted.map(({ source }) => source.file), ...settings.keys()])].sort();
  const pinned = names.map(file => {
    const own = wanted.filter(({ source }) => source.file === file);
    return [file, contentOf(own, marks, settings.get(file) ?? {}, places), pinOf(own)] as const;
  });
  const files = pinned.map(([file, content, pin]) => [file, { hash: sha256(canonical(content)), ...pin }] as const);
  return {
    files: Object.fromEntries(files),
    hash: hashOf(files.filter(([, { pipeline }]) => !pipeline)),
    scripts: marks,
    contents: Object.fromEntries(
      pinned.map(([file, content]) => {
        const own = named.filter(({ hook }) => hook.source.file === file);
        const unpinned = [...new Set(own.flatMap(one => one.unpinned))];
        return [file, unpinned.length === 0 ? content : { ...content, unpinned }];
      }),
    ),
  };
}

/** The hash of everything: the part of the pipeline files, which only `run` looks at, stands behind a dot. */
export function wholeHash(pins: Pins): string {
  const pipelines = Object.entries(pins.files).filter(([, { pipeline }]) => pipeline);
  return pipelines.length === 0 ? pins.hash : `${pins.hash}.${hashOf(pipelines)}`;
}

const hashOf = (files: readonly (readonly [file: string, pin: FilePin])[]): string =>
  sha256(canonical(files.map(([file, { hash }]) => [file, hash])));

function markOf(path: string, look: Look, startedAt: number): ScriptMark {
  const stats = statOf(path);
  // A folder is no script, and changes with every file in it: a plan would be stale all the time.
  if (typeof stats !== 'object' || !stats.isDirectory()) look.stat(path);
  const looked = fingerprintOf(stats);
  return [path, hashFile(path), isFresh(looked, startedAt) ? undefined : looked];
}

/** What project files say beside their hooks that changes what is run: who answers questions, and which hooks are off. */
function settingsIn(
  hooks: readonly HookDefinition[],
  places: Places,
  look: Look,
): Map<string, Record<string, unknown>> {
  const found = new Map<string, Record<string, unknown>>();
  const add = (file: string, more: Record<string, unknown>): void =>
    void found.set(file, { ...found.get(file), ...more });
  const native = look.text(join(places.root, nativeFile));
  const { agent, judge, root } = native.kind === 'text' ? readSettings(nativeFile, native.text) : {};
  const isAsked = hooks.some(({ action }) => isJudge(action));
  if (isAsked && (agent !== undefined || judge !== undefined)) add(nativeFile, { agent, judge });
  if (root) add(nativeFile, { root: 'true: gates of folders above do not apply here' });
  for (const hook of hooks) {
    const file = disablingFile(hook);
    if (file !== undefined) add(file, { [`disables ${hook.source.dialect} ${hook.source.scope}`]: hook.disabled });
  }
  return found;
}

const nativeFile = 'hookloop.yaml';

function contentOf(
  hooks: readonly HookDefinition[],
  marks: Pins['scripts'],
  settings: Readonly<Record<string, unknown>>,
  places: Places,
): PinnedFile {
  // Of two readings of one file the order may differ; that of its entries is in their ids.
  const normal = hooks.map(hook => normalHook(hook, places)).sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
  const scripts = hooks.flatMap(({ id }) =>
    (marks[id] ?? []).flatMap(([path, hash]) => (hash === null ? [] : [[shownPath(path, places), hash] as const])),
  );
  return { hooks: normal, settings, scripts: Object.fromEntries(scripts) };
}

function pinOf(hooks: readonly HookDefinition[]): Omit<FilePin, 'hash'> {
  const isPipeline = hooks.some(({ source: { scope } }) => scope === 'pipeline' || scope === 'stage');
  return {
    gates: [...new Map(hooks.filter(isGate).map(hook => [canonical(gateOf(hook)), gateOf(hook)])).values()],
    ...(isPipeline && { pipeline: true }),
  };
}

const gateOf = ({ event, match: { notAgent } }: HookDefinition): Gate => ({
  event,
  ...(notAgent !== undefined && { notAgent }),
});
