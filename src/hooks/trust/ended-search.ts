import type { Places } from '../../model/index.ts';
import { outerRootOf } from '../discovery/load.ts';
import { type Pins, withoutPinsOf } from './pins.ts';
import { standingOf } from './standing.ts';

/** What is known of all roots of a folder. */
export interface KnownRoots {
  places: Places;
  /** Of all dialects. */
  pins: Pins;
  /** Roots whose own file says `root: true`, nearest first. */
  ends: readonly string[];
}

/**
 * The outer roots that do not count, because a root below them says `root: true`. Only a file that is trusted as it is
 * may take gates away, and never from a session that has had them from its start (`settled`).
 */
export function rootsBeyondEnd(
  { places, pins, ends }: KnownRoots,
  env: Readonly<Record<string, string | undefined>>,
  settled: readonly string[] = [],
): readonly string[] {
  for (const end of ends) {
    const dropped = rootsAbove(end, places).filter(folder => !settled.includes(folder));
    const ended = withoutPinsOf(dropped, pins, places);
    const { files } = standingOf({ pins: ended, root: places.root, env });
    const own = [...files].filter(([file]) => isNativeFileOf(end, file, places));
    if (own.some(([, state]) => state === 'trusted')) return dropped;
  }
  return [];
}

export const rootsAbove = (end: string, { outer = [] }: Places): readonly string[] =>
  outer.slice(outer.indexOf(end) + 1);

const isNativeFileOf = (end: string, file: string, places: Places): boolean =>
  end === places.root ? file === 'hookloop.yaml' : file.endsWith('/hookloop.yaml') && outerRootOf(file, places) === end;
