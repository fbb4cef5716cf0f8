import { accessSync, constants } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileProblem } from '../../config/report.ts';
import type { DialectConfig, Found, Location, Places, Problem, Script } from '../../model/index.ts';
import type { Entry, Look } from './look.ts';
import { pathOf, shownPath } from './places.ts';

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
    else if (content.kind === 'text') found.push({ kind: 'text', location, path, file, text: content.text });
    else fail(path, content.reason);
  }
  for (const [path, reason] of look.failures)
    if (
      !path.endsWith('.sh') &&
      dialect.locations.some(location => location.holds === 'scripts' && isInside(path, pathOf(location, places)))
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

const isInside = (path: string, folder: string | undefined): boolean =>
  folder !== undefined && (path === folder || path.startsWith(`${folder}${sep}`));

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
  const file = shownPath(path, places);
  if (entry.path === undefined)
    return { type, name: entry.name, path, file, executable: false, broken: 'its name is not UTF-8' };
  const stats = look.stat(path);
  const broken = !stats
    ? 'it is a dead link'
    : !stats.isFile()
      ? 'it is not a file'
      : stats.size === 0
        ? 'it is empty'
        : undefined;
  return {
    type,
    name: entry.name,
    path,
    file,
    executable: broken === undefined && isExecutable(path),
    ...(broken === undefined && look.mentions(path, notAProgram) && { isBare: true }),
    ...(broken && { broken }),
  };
}

/** Neither `#!` nor what a compiled program begins with. */
const notAProgram = '^(?!#!|\\x7fELF)';

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
