import type { Stats } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileProblem } from '../../config/report.ts';
import { config } from '../../dialects/native/config.ts';
import { readSettings, type Settings } from '../../dialects/native/settings.ts';
import { type PipelineFile, readPipelineFile } from '../../dialects/pipelines/config.ts';
import type { DialectConfig, Found, HookDefinition, Location, Places, Problem, Script } from '../../model/index.ts';
import { isExecutable } from '../../platform/files.ts';
import { isWithin } from '../../platform/folders.ts';
import type { Entry, Look } from './look.ts';
import { withTakenIn } from './take-in.ts';

/** Reads everything one dialect looks at. What cannot be read is a problem, never an exception. */
export function findConfigs(
  dialect: DialectConfig,
  places: Places,
  look: Look,
): { found: Found[]; problems: Problem[] } {
  const found: Found[] = [];
  const problems: Problem[] = [];
  const visited = new Set<string>();
  const fail = (path: string, reason: string): void =>
    void problems.push(fileProblem(shownPath(path, places), reason, dialect.badFile === 'refuse'));
  for (const location of dialect.locations) {
    const path = pathOf(location, places);
    if (path === undefined || visited.has(path)) continue;
    visited.add(path);
    const file = shownPath(path, places);
    if (location.holds === 'scripts') {
      const scripts = findScripts(location, path, file, places, look);
      if (scripts) found.push(scripts);
      else failFolder(location, places, look, fail);
      continue;
    }
    const content = look.text(path);
    if (content.kind === 'absent') failFolder(location, places, look, fail);
    else if (location.onlyIf !== undefined && !look.mentions(path, location.onlyIf)) continue;
    else if (content.kind === 'text') {
      const named = { kind: 'text', location, path, file, text: content.text } as const;
      const taken = withTakenIn(named, dialect, look, other => shownPath(other, places));
      found.push(...taken.found);
      problems.push(...taken.problems);
    } else fail(path, content.reason);
  }
  for (const [path, reason] of look.failures)
    if (
      !path.endsWith('.sh') &&
      dialect.locations.some(location => location.holds === 'scripts' && isWithin(path, pathOf(location, places) ?? ''))
    )
      fail(path, reason);
  return { found, problems };
}

/** Tells of a location's folder that cannot be entered: a dead link in its place hides what is meant to be there. */
function failFolder(
  { base, path, onlyIf }: Location,
  places: Places,
  look: Look,
  fail: (path: string, reason: string) => void,
): void {
  const name = dirname(path);
  const folder = join(places[base]!, name);
  if (name === '.' || onlyIf !== undefined || look.isThere(folder)) return;
  const reason = look.failures.get(folder);
  if (reason !== undefined) fail(folder, reason);
}

function findScripts(location: Location, path: string, file: string, places: Places, look: Look): Found | undefined {
  if (!look.stat(path)?.isDirectory()) return undefined;
  const folders = look.list(path).filter(entry => entry.path !== undefined && look.stat(entry.path)?.isDirectory());
  const scripts = folders.flatMap(folder =>
    look
      .list(folder.path!)
      .filter(({ name }) => name.endsWith('.sh') && !name.startsWith('.'))
      .map(entry => toScript(folder.name, entry, folder.path!, places, look)),
  );
  return { kind: 'scripts', location, path, file, types: folders.map(folder => folder.name), scripts };
}

function toScript(type: string, entry: Entry, folder: string, places: Places, look: Look): Script {
  const path = entry.path ?? `${folder}/${entry.name}`;
  const broken = entry.path === undefined ? 'its name is not UTF-8' : whyBroken(look.stat(path));
  return {
    type,
    name: entry.name,
    path,
    file: shownPath(path, places),
    executable: broken === undefined && isExecutable(path),
    ...(broken === undefined && look.mentions(path, notAProgram) && { isBare: true }),
    ...(broken !== undefined && { broken }),
  };
}

function whyBroken(stats: Stats | undefined): string | undefined {
  if (!stats) return 'it is a dead link';
  if (!stats.isFile()) return 'it is not a file';
  return stats.size === 0 ? 'it is empty' : undefined;
}

/** Neither `#!` nor what a compiled program begins with. */
const notAProgram = '^(?!#!|\\x7fELF)';

/** The settings of the project's file, and of the user's where the project's says nothing. */
export const loadSettings = (places: Places, look: Look): Settings =>
  Object.assign(
    {},
    ...nativeFiles(places, look)
      .toReversed()
      .map(({ file, text }) => {
        const { protect, ...settings } = readSettings(file, text);
        // Files of a project are that project's to name.
        return file.startsWith('/') || protect === undefined ? settings : { ...settings, protect };
      }),
  );

/** The native files that are there, the project's before the user's. */
export const nativeFiles = (places: Places, look: Look): { file: string; text: string }[] =>
  config.locations.flatMap(location => {
    const path = pathOf(location, places);
    const content = path === undefined ? undefined : look.text(path);
    return content?.kind === 'text' ? [{ file: shownPath(path!, places), text: content.text }] : [];
  });

/** Where pipelines, loops and stages are looked for, nearest first; relative to the root. */
export const pipelineFolders = [
  '.hookloop/pipelines',
  '.hookloop/loops',
  'pipelines',
  'loops',
  'stages',
  'scripts/pipelines',
  'scripts/loops',
  'scripts/stages',
] as const;

/** What a folder NAME may hold. */
const namesInFolder = ['pipeline.yaml', 'loop.yaml', 'stage.yaml'] as const;

interface LoadedPipelines {
  files: readonly string[];
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
}

/** The hooks of every pipeline, loop and stage file of the project, which run only with their pipeline. Files of other programs are left aside. */
export function loadPipelineFiles(places: Places, look: Look): LoadedPipelines {
  const { found, problems } = findPipelineFiles(places, look);
  const read = found.map(file => ({ file: file.file, ...readPipelineFile(file) })).filter(file => file.looksLikeOurs);
  return {
    files: read.map(({ file }) => file),
    hooks: read.flatMap(({ hooks }) => hooks),
    problems: [...problems, ...read.flatMap(file => file.problems)],
  };
}

export function findPipelineFiles(places: Places, look: Look): { found: PipelineFile[]; problems: Problem[] } {
  const found: PipelineFile[] = [];
  const problems: Problem[] = [];
  for (const { folder, path } of pathsIn(places, look)) {
    const file = shownPath(path, places);
    const content = look.text(path);
    if (content.kind === 'text') found.push({ file, path, text: content.text, scope: scopeOf(folder, path) });
    if (content.kind === 'unreadable') problems.push(unreadable(file, content.reason, folder));
  }
  return { found, problems };
}

function pathsIn(places: Places, look: Look): { folder: string; path: string }[] {
  return pipelineFolders.flatMap(folder =>
    look.list(join(places.root, folder)).flatMap(({ path }) => {
      if (path === undefined) return [];
      if (look.stat(path)?.isDirectory()) return namesInFolder.map(name => ({ folder, path: join(path, name) }));
      return /\.ya?ml$/.test(path) ? [{ folder, path }] : [];
    }),
  );
}

/** `NAME/loop.yaml` says itself what it is; `NAME.yaml` is what its folder is for. */
function scopeOf(folder: string, path: string): PipelineFile['scope'] {
  const name = basename(path);
  if (name === 'pipeline.yaml') return 'pipeline';
  if (name === 'loop.yaml' || name === 'stage.yaml') return 'stage';
  return folder.endsWith('pipelines') ? 'pipeline' : 'stage';
}

/** Only in our own folder is a file that cannot be read surely meant for us. */
const unreadable = (file: string, reason: string, folder: string): Problem => ({
  ...fileProblem(file, reason, false),
  severity: folder.startsWith('.hookloop/') ? 'error' : 'warning',
});

export function pathOf(location: Location, places: Places): string | undefined {
  const base = places[location.base];
  return base === undefined ? undefined : join(base, location.path);
}

/** Relative to the root for files inside it, else absolute. */
export function shownPath(path: string, places: Places): string {
  const inside = relative(places.root, path);
  return inside === '' || inside.startsWith(`..${sep}`) || inside === '..' ? path : inside;
}
