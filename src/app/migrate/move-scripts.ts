import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HookDefinition, Places } from '../../model/index.ts';
import type { Entry } from './native-entry.ts';
import type { Translated } from './translate.ts';

/** A script that is a hook because of the folder it stands in, and where it stands instead. */
export interface Move {
  hook: HookDefinition;
  from: string;
  to: string;
  /** Its entry, with the new path. */
  entry: Entry;
}

/** Where scripts go that were hooks by their place: beside the folder that made them hooks. */
const folderName = 'migrated-hooks';

/** Which scripts have to move so that they run once; `stay`: why one cannot, and so goes on as it is. */
export function movedScripts(
  translated: readonly Translated[],
  places: Places,
): { moves: Move[]; stay: Map<HookDefinition, string> } {
  const moves: Move[] = [];
  const stay = new Map<HookDefinition, string>();
  for (const one of translated) {
    const script = one.kind === 'entry' ? scriptOf(one.hook, places) : undefined;
    if (one.kind !== 'entry' || script === undefined) continue;
    const folder = dirname(dirname(script));
    const to = join(dirname(folder), folderName, script.slice(folder.length + 1));
    const why = whyNot(script, to);
    if (why === undefined) moves.push({ hook: one.hook, from: script, to, entry: pointed(one.entry, folder) });
    else stay.set(one.hook, why);
  }
  return { moves, stay };
}

/** The file of a hook that is itself what runs. */
function scriptOf({ action, source }: HookDefinition, { root }: Places): string | undefined {
  const path = source.file.startsWith('/') ? source.file : join(root, source.file);
  const isItself =
    action.kind === 'shell' && action.run.via === 'exec' && [action.run.file, ...action.run.args].includes(path);
  return isItself ? path : undefined;
}

function whyNot(path: string, to: string): string | undefined {
  if (existsSync(to)) return `it cannot be moved: there is ${to} already`;
  if (!lstatSync(path).isFile()) return 'it is a link, and a link is not moved';
  return looksAround.test(readFileSync(path, 'utf8'))
    ? 'it finds other files by its own place, so it cannot be moved'
    : undefined;
}

/** In the languages that such scripts are written in, and by the folder's own path. */
const looksAround =
  /\$\{?0\b|BASH_SOURCE|__file__|__FILE__|__dirname|__filename|import\.meta|FindBin|require_relative|\b(?:require|import|from)\b\s*\(?\s*['"]\.{1,2}\/|\.a5c\/hooks\//;

const pointed = (entry: Entry, folder: string): Entry => ({
  ...entry,
  shell: String(entry['shell']).replace(`${nameOf(folder)}/`, `${folderName}/`),
});

const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf('/') + 1);
