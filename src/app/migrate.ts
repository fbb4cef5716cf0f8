import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canRefuse } from '../dialects/gates.ts';
import { native } from '../dialects/index.ts';
import { loadPipelineFiles } from '../hooks/discovery/find-files.ts';
import { type LoadedHooks, loadHooks } from '../hooks/discovery/load.ts';
import { createLook } from '../hooks/discovery/look.ts';
import type { HookDefinition, Places, Problem } from '../model/index.ts';
import { writeWhereNone } from '../platform/files.ts';
import type { Where } from './context.ts';
import { type Move, movedScripts } from './migrate/move-scripts.ts';
import { nativeFile, type WrittenHook } from './migrate/native-file.ts';
import { wireOf } from './migrate/same-decisions.ts';
import { translate } from './migrate/translate.ts';

export interface MigrateRequest {
  /** The user's files instead of the project's. */
  user: boolean;
  /** The old files are to go: what runs from inside them moves out first. */
  remove: boolean;
}

/** A hook that stays where it is. */
export interface LeftHook {
  hook: HookDefinition;
  why: string;
}

/** What the files of other formats become. Nothing has been written. */
export interface Migration {
  /** The native file. */
  path: string;
  /** Something is in its place already; `same`: just what would be written. */
  exists: 'no' | 'same' | 'other';
  /** undefined: there is nothing to write. */
  text: string | undefined;
  written: readonly WrittenHook[];
  left: readonly LeftHook[];
  /** What is wrong with files, none of whose hooks are looked at. */
  broken: readonly Problem[];
  /** What else is to be known. */
  notes: readonly string[];
  moves: readonly Move[];
  places: Places;
}

/** Contract: changes nothing. */
export function planMigration({ cwd, env }: Where, { user, remove }: MigrateRequest): Migration {
  const look = createLook();
  const loaded = loadHooks({ cwd, env, look });
  const { places } = loaded;
  const scope = user ? 'user' : 'project';
  const pipelines = user ? [] : loadPipelineFiles(places, look).hooks;
  const foreign = loaded.hooks.filter(({ source, root }) => source.dialect !== native.name && root === undefined);
  const broken = brokenFiles(loaded, scope);
  const files = new Set(broken.map(({ at }) => at.file));
  const own = foreign.filter(({ source }) => source.scope === scope && !files.has(source.file));
  const asked = own.filter(hook => whyCounted(hook, loaded.hooks) === undefined);
  const translated = translate(asked, places, scope);
  const { moves, stay } = remove
    ? movedScripts(translated, places)
    : { moves: [], stay: new Map<HookDefinition, string>() };
  const written = translated.flatMap(one =>
    one.kind === 'entry' && !stay.has(one.hook) ? [{ hook: one.hook, point: one.point, entry: one.entry }] : [],
  );
  const entries = written.map(one => ({
    ...one,
    entry: moves.find(({ hook }) => hook === one.hook)?.entry ?? one.entry,
  }));
  const left = [
    ...own.flatMap(hook => leftBecause(hook, whyCounted(hook, loaded.hooks))),
    ...translated.flatMap(one => leftBecause(one.hook, one.kind === 'left' ? one.why : stay.get(one.hook))),
    ...(user ? [] : foreign.filter(({ source }) => source.scope === 'plugin')).map(hook => ({ hook, why: ofPlugin })),
    ...pipelines.map(hook => ({ hook, why: ofPipeline })),
  ];
  const path = user ? join(places.config, 'hookloop/hooks.yaml') : join(places.root, 'hookloop.yaml');
  const text = entries.length === 0 ? undefined : nativeFile(entries, settingsOf(entries));
  return {
    ...{ path, exists: whatIsAt(path, text), broken, left, moves, places, text },
    written: entries,
    notes: notesOn(entries, [...loaded.hooks, ...pipelines]),
  };
}

const ofPlugin = 'it belongs to a plugin';
const ofPipeline = 'it runs only with its pipeline, whose file has it';

const leftBecause = (hook: HookDefinition, why: string | undefined): LeftHook[] =>
  why === undefined ? [] : [{ hook, why }];

/** A file with errors is fixed first: no one knows what it is meant to say. What is wrong with native files is not asked here. */
function brokenFiles({ problems, hooks }: LoadedHooks, scope: 'project' | 'user'): Problem[] {
  const ours = new Set(hooks.filter(({ source }) => source.dialect === native.name).map(({ source }) => source.file));
  const isOurs = (file: string): boolean =>
    ours.has(file) || /(^|\/)(hookloop\.yaml|hookloop\/hooks\.yaml)$/.test(file);
  const isOfScope = (file: string): boolean => file.startsWith('/') === (scope === 'user') && !file.startsWith('../');
  return problems.filter(({ severity, at }) => severity === 'error' && isOfScope(at.file) && !isOurs(at.file));
}

/** The setting of a native file counts for every gate. Where others gate tasks as well, one file's number cannot be written. */
function whyCounted({ maxFixes, source }: HookDefinition, hooks: readonly HookDefinition[]): string | undefined {
  if (maxFixes === undefined || maxFixes === usualFixes) return undefined;
  const others = hooks.some(
    hook => hook.event === 'task.completing' && hook.source.file !== source.file && canRefuse(hook),
  );
  return others ? `max_retries: ${maxFixes} counts for this file alone, and others gate tasks as well` : undefined;
}

const usualFixes = 3;

/** What a file says for all its hooks. */
function settingsOf(written: readonly WrittenHook[]): Record<string, number> {
  const fixes = written.find(({ hook: { maxFixes = usualFixes } }) => maxFixes !== usualFixes)?.hook.maxFixes;
  const recovers = written.some(({ hook }) => hook.recovers);
  return { ...(fixes !== undefined && { max_retries: fixes }), ...(recovers && { max_failures: 3 }) };
}

function notesOn(written: readonly WrittenHook[], all: readonly HookDefinition[]): string[] {
  const hooks = written.map(({ hook }) => hook);
  const hosts = new Set(hooks.flatMap(({ match }) => match.notAgent ?? []));
  const chained = all.filter(hook => wireOf(hook).chain !== undefined && !hooks.includes(hook));
  return [
    ...[...hosts].map(
      host =>
        `${host} runs these hooks by itself while they stand in its own settings. Without them there it needs: hookloop install ${host}`,
    ),
    ...(hooks.some(({ action }) => action.kind === 'shell' && action.cwd === 'caller')
      ? ['scripts run in the root of the project, wherever hookloop was started']
      : []),
    ...(hooks.length > 0 && chained.some(hook => JSON.stringify(hook).includes('LAST_HOOK_STATUS'))
      ? ['LAST_HOOK_STATUS, which other hooks here use, also tells of these hooks from now on']
      : []),
  ];
}

/** Also a link to nothing is something that must not be written over. */
function whatIsAt(path: string, text: string | undefined): Migration['exists'] {
  try {
    return lstatSync(path).isFile() && readFileSync(path, 'utf8') === text ? 'same' : 'other';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no' : 'other';
  }
}

export const writeMigration = ({ path, text = '' }: Migration) => writeWhereNone(path, text);
