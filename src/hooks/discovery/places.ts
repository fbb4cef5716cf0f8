import { join, relative, sep } from 'node:path';
import type { Location, Places } from '../../model/index.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export function pathOf(location: Location, places: Places): string | undefined {
  const base = places[location.base];
  return base === undefined ? undefined : join(base, location.path);
}

/** Relative to the root for files inside it, else absolute. */
export function shownPath(path: string, places: Places): string {
  const inside = relative(places.root, path);
  return inside === '' || inside.startsWith(`..${sep}`) || inside === '..' ? path : inside;
}
