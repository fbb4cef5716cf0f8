import { accessSync, constants } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileProblem } from '../config/report.ts';
import type { DialectConfig, Found, Location, Places, Problem, Script } from '../model/index.ts';
import type { Entry, Look } from './look.ts';
import { pathOf } from './places.ts';

/** Reads everything one dialect looks at. What cannot be read is a problem, never an exception. */
export function findConfigs(
  dialect: DialectConfig,
  places: Places,
  look: Look,
): { found: Found[]; problems: Problem[] } {
  const found: Found[] = [];
  const problems: Problem[] = [];
  const visited = new Set<string>();
  for (const location of dialect.locations) {
    const path = pathOf(location, places);
    if (path === undefined || visited.has(path)) continue;
    visited.add(path);
    const file = shownPath(path, places);
    if (location.holds === 'scripts') {
      const scripts = findScripts(location, path, file, places, look);
      if (scripts) found.push(scripts);
      continue;
    }
    const content = look.text(path);
    if (content.kind === 'absent' || (location.onlyIf !== undefined && !look.mentions(path, location.onlyIf))) continue;
    if (content.kind === 'text') found.push({ kind: 'text', location, path, file, text: content.text });
    else problems.push(fileProblem(file, content.reason, dialect.badFile === 'refuse'));
  }
  for (const [path, reason] of look.failures)
    if (
      !path.endsWith('.sh') &&
      dialect.locations.some(location => location.holds === 'scripts' && isInside(path, pathOf(location, places)))
    )
      problems.push(fileProblem(shownPath(path, places), reason, dialect.badFile === 'refuse'));
  return { found, problems };
}

const isInside = (path: string, folder: string | undefined): boolean =>
  folder !== undefined && (path === folder || path.startsWith(`${folder}${sep}`));

/** Relative to the root for files inside it, else absolute. */
export function shownPath(path: string, places: Places): string {
  const inside = relative(places.root, path);
  return inside === '' || inside.startsWith(`..${sep}`) || inside === '..' ? path : inside;
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
    ...(broken && { broken }),
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
