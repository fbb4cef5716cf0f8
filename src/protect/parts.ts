import { posix } from 'node:path';
import { globPattern } from '../engine/pattern.ts';
import { type ProtectedPath, readProtectedPath } from '../model/protect.ts';

/** One thing that is protected. */
export interface Part extends ProtectedPath {
  matches(path: string): boolean;
}

/** Contract: of texts that `check` has accepted; others protect nothing. */
export const partsOf = (files: readonly string[]): Part[] =>
  files.map(readProtectedPath).flatMap(read => {
    if (read.kind !== 'path') return [];
    const { path, pointer } = read;
    return [{ path, ...(pointer && { pointer }), matches: pathPattern(path) }];
  });

/** Files by which git reads the others: a filter that they name shows it what it wants to. */
export const attributesPart: Part = {
  path: '**/.gitattributes',
  matches: path => posix.basename(path) === '.gitattributes',
};

/** As people know what has changed. */
export const partName = (path: string, { pointer }: Pick<Part, 'pointer'>): string =>
  pointer ? `${path}#${pointer.map(name => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}` : path;

/** The path, or everything below it. */
function pathPattern(path: string): Part['matches'] {
  if (!/[*?[{\\]/.test(path)) return other => other === path || other.startsWith(`${path}/`);
  const [itself, below] = [globPattern(path), globPattern(`${path}/**`)];
  return other => itself(other) || below(other);
}
