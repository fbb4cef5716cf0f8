import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { findPipelineFiles, pipelineFolders, shownPath } from '../../hooks/discovery/find-files.ts';
import type { Look } from '../../hooks/discovery/look.ts';
import type { Places } from '../../model/index.ts';
import { didYouMean } from '../../model/nearest.ts';

export interface Wanted {
  name: string;
  /** The file that names it; absent: it was given on the command line. */
  from?: string;
  /** Says no to a file that is not of the wanted kind; the search goes on behind it. */
  accept?(path: string): boolean;
}

type FoundPipeline =
  | { kind: 'found'; path: string }
  /** There are only files that were not accepted; this is the first. */
  | { kind: 'refused'; path: string }
  | { kind: 'not-found'; tried: readonly string[]; hint?: string };

/** The path as given, then the folders for pipelines, loops and stages. */
export function findPipeline(wanted: Wanted, places: Places, look: Look): FoundPipeline {
  const { name, accept = () => true } = wanted;
  const given = pathsAsGiven(wanted, places);
  const candidates = [
    ...given.flatMap(path => [...(isPath(name) ? [path] : []), ...inFolder(path)]),
    ...(isInside(name) ? pipelineFolders.flatMap(folder => namedIn(join(places.root, folder), name)) : []),
  ];
  const files = candidates.filter(path => look.stat(path)?.isFile());
  const path = files.find(accept);
  if (path !== undefined) return { kind: 'found', path };
  if (files[0] !== undefined) return { kind: 'refused', path: files[0] };
  const hint = didYouMean(name, knownNames(places, look));
  const tried = [...given.map(path => shownPath(path, places)), ...(isInside(name) ? pipelineFolders : [])];
  return { kind: 'not-found', tried, ...(hint && { hint }) };
}

function pathsAsGiven({ name, from }: Wanted, places: Places): string[] {
  const base = from === undefined ? places.cwd : dirname(from);
  return [...new Set([resolve(base, name), resolve(places.root, name)])];
}

/** A bare word is a name: a program or a note that is called the same is not run as a pipeline. */
const isPath = (name: string): boolean => name.includes('/') || /\.ya?ml$/.test(name);

const isInside = (name: string): boolean => !isAbsolute(name) && !name.split('/').includes('..');

const inFolder = (path: string): string[] => ['pipeline.yaml', 'loop.yaml', 'stage.yaml'].map(file => join(path, file));

const namedIn = (folder: string, name: string): string[] => {
  const path = join(folder, name);
  return [...(/\.ya?ml$/.test(name) ? [path] : []), `${path}.yaml`, `${path}.yml`, ...inFolder(path)];
};

const knownNames = (places: Places, look: Look): string[] =>
  findPipelineFiles(places, look).found.map(({ path }) => nameOfFile(path));

/** Names of stages and pipelines become parts of paths, so they hold nothing that a path or a shell would read as more. */
export const isName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text) && !text.endsWith('.');

export const nameRule = 'letters, digits, ".", "_" and "-", at most 64, the first a letter or digit';

/** What a loop, stage or pipeline file is called: `NAME.yaml`, or the folder of `NAME/loop.yaml`. */
export function nameOfFile(path: string): string {
  const plain = basename(path).replace(/\.ya?ml$/, '');
  return /^(pipeline|loop|stage)\.ya?ml$/.test(basename(path)) ? basename(dirname(path)) || plain : plain;
}

/** The nearest name that obeys the rule. */
export function toName(text: string, otherwise: string): string {
  const name = text
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
    .replace(/[^A-Za-z0-9]+$/, '');
  return name === '' ? otherwise : name;
}
