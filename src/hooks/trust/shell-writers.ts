import { dirname, join } from 'node:path';
import { baseName } from '../../shell/texts.ts';

/** A path that a program changes. */
export interface Written {
  path: string;
  /** A folder goes with all that is in it. */
  whole: boolean;
  /** What it is a link to from now on. */
  leadsTo?: readonly string[];
}

/** The words of a program: its options, and for each other word the paths that it may stand for. */
export interface Arguments {
  operands: readonly (readonly string[])[];
  options: readonly string[];
  /** What is behind one of these options: `-o FILE`, `--output=FILE`. */
  valuesOf(...names: readonly string[]): readonly string[];
  /** Literal words in their order. */
  words: readonly string[];
  /** What it is fed. */
  fed: readonly string[];
}

type Writer = (given: Arguments) => Written[];

const written = (paths: readonly string[], whole: boolean): Written[] => paths.map(path => ({ path, whole }));
const each: Writer = ({ operands }) => written(operands.flat(), false);
const eachWhole: Writer = ({ operands }) => written(operands.flat(), true);

const maybeDeep: Writer = given =>
  (given.options.some(option => /^-[a-zA-Z]*R/.test(option)) ? eachWhole : each)(given);

const inPlace: Writer = given =>
  given.options.some(option => /^-[a-zA-Z]*i|^--in-place/.test(option)) ? each(given) : [];

function placed({ operands, options, valuesOf }: Arguments) {
  const folders = valuesOf('-t', '--target-directory');
  return {
    targets: folders.length > 0 ? folders : (operands.at(-1) ?? []),
    sources: (folders.length > 0 ? operands : operands.slice(0, -1)).flat(),
    isDeep: options.some(option => /^-[a-zA-Z]*[rRa]|^--(recursive|archive)/.test(option)),
  };
}

/** The last one is written; where it is a folder, under the names of the others. */
function last(given: Arguments): Written[] {
  const { targets, sources, isDeep } = placed(given);
  return targets.flatMap(target => [
    { path: target, whole: isDeep && sources.some(source => /\/\.?$/.test(source)) },
    ...sources.flatMap(source => {
      const name = baseName(source.replace(/\/\.?$/, ''));
      // What comes out of a build folder is seldom meant to replace what is here.
      return name === '*' && /^\.?\/?$/.test(target) ? [] : [{ path: `${target}/${name}`, whole: isDeep }];
    }),
  ]);
}

/** Through a hard link a file is changed at any later time, and no one sees where it leads. */
const linked: Writer = given => {
  const { sources, isDeep } = placed(given);
  // What is behind a `t` is the name of a folder.
  const isSymbolic = given.options.some(option => /^-[a-su-zA-Z]*s|^--symbolic/.test(option));
  if (!isSymbolic) return [...written(sources, isDeep), ...last(given)];
  return last(given).map(link => ({
    ...link,
    leadsTo: sources.map(source => (/^[/~]/.test(source) ? source : join(dirname(link.path), source))),
  }));
};

const copied: Writer = given =>
  (given.options.some(option => /^-[a-su-zA-Z]*[ls]|^--(link|symbolic)/.test(option)) ? linked : last)(given);

/** The files that a patch names. */
const patched = (texts: readonly string[]): Written[] =>
  texts.flatMap(text =>
    [...text.matchAll(/^(?:\+\+\+|---) (\S+)/gm)].flatMap(([, path]) =>
      written([path!, path!.replace(/^[^/]*\//, '')], false),
    ),
  );

const found: Writer = ({ words, valuesOf }) => {
  const at = words.findIndex(word => word.startsWith('-'));
  const starts = words.slice(0, at === -1 ? words.length : at);
  const acts = words.some(
    (word, index) => word === '-delete' || (/^-exec|^-ok/.test(word) && isWriter(words[index + 1])),
  );
  if (!acts) return [];
  const names = valuesOf('-name', '-iname', '-path', '-ipath', '-wholename');
  return (starts.length > 0 ? starts : ['.']).flatMap(start => {
    if (names.length === 0) return /^\.?\/?$/.test(start) ? [] : [{ path: start, whole: true }];
    return names.map(name => ({ path: `${start}/**/${baseName(name)}`, whole: true }));
  });
};

const isWriter = (name = ''): boolean => Object.hasOwn(writers, baseName(name)) && baseName(name) !== 'find';

/** What git does to files in the working folder. */
const git: Writer = ({ words, operands, options, valuesOf, fed }) => {
  const [folder] = valuesOf('-C');
  const own = operands.filter(([path]) => path !== folder);
  const [[name = ''] = [], ...rest] = own;
  const there = (found: Written[]): Written[] =>
    folder === undefined ? found : found.map(one => ({ ...one, path: `${folder}/${one.path}` }));
  const given = { words, options, valuesOf, fed, operands: rest };
  if (name === 'mv') return there([...eachWhole(given), ...last(given)]);
  if (name === 'apply') return there(patched(fed));
  if (!['checkout', 'restore', 'rm', 'stash'].includes(name)) return [];
  // All that was changed goes back to what was committed.
  return there(eachWhole(given).filter(({ path }) => name === 'rm' || !/^(\.\/?|:\/)$/.test(path)));
};

export const writers: Readonly<Record<string, Writer>> = {
  ...{ tee: each, truncate: each, touch: each, chmod: maybeDeep, chown: maybeDeep, sponge: each },
  ...{ rm: eachWhole, rmdir: eachWhole, unlink: each, shred: each },
  mv: given => [...eachWhole(given), ...last(given)],
  ...{ cp: copied, ln: linked, install: last },
  // Its `-t` is about times.
  rsync: given => last({ ...given, valuesOf: () => [] }),
  ...{ sed: inPlace, gsed: inPlace, perl: inPlace, ruby: inPlace },
  dd: ({ operands }) =>
    written(
      operands.flat().flatMap(word => (word.startsWith('of=') ? [word.slice(3)] : [])),
      false,
    ),
  patch: given => [...each(given), ...patched(given.fed)],
  curl: ({ valuesOf }) => written(valuesOf('-o', '--output'), false),
  wget: ({ valuesOf }) => written(valuesOf('-O', '--output-document'), false),
  find: found,
  git,
};
