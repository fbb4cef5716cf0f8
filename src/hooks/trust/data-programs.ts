import { plainPrograms } from '../../shell/roles/programs.ts';
import type { Reading } from '../../shell/roles/reading.ts';

/** How the words of a command count that no role says is run: all may name a script, those of options, or none. */
export type Counting = 'all' | 'options' | 'none';

/** The least strict programs decide for the whole command: `timeout 5 cat` is `cat`. */
export function countingOf({ runs, scripts }: Reading): Counting {
  if (runs.length === 0) return 'all';
  const found = new Set(runs.map(({ program, at }) => (scripts.includes(at) ? 'all' : countingWith(program))));
  if (found.has('all')) return 'all';
  return found.has('options') ? 'options' : 'none';
}

/** They write what they name, or ask about it: also where everything counts, those files do not. */
export const neverRead: ReadonlySet<string> = new Set('tee rm rmdir mkdir touch test [ [['.split(' '));

/** They copy what may be run under its new name. */
export const copiers: ReadonlySet<string> = new Set('tee cp mv ln install dd rsync sponge'.split(' '));

/** Options of programs that read files which are followed by such a file, and not by a value. */
export const isFlag = (option: string): boolean =>
  /^(--?|--(fix|check|write|quiet|cache|strict|no-\S+|noEmit|list-different|diff|staged|unsafe|json|verbose)|-[lwqv])$/.test(
    option,
  );

function countingWith(program: string): Counting {
  if (plainPrograms.has(program) || roleReaders.has(program)) return 'none';
  return fileReaders.has(program) ? 'options' : 'all';
}

/** Their words are data unless a role says otherwise. */
const roleReaders = new Set(
  'test [ [[ printf read return exit shift local git find curl sed gsed awk gawk mawk nawk pushd popd'.split(' '),
);

/** They read the files they are given, and run those that an option names: a config, a plugin, a compressor. */
const fileReaders = new Set([
  ...'eslint prettier biome oxlint dprint stylelint tsc ruff black isort flake8 pylint mypy pyright'.split(' '),
  ...'shellcheck shfmt gofmt goimports rustfmt clang-format rubocop markdownlint yamllint hadolint'.split(' '),
  ...'tar gtar bsdtar rsync scp sort zip unzip rg less wget ctags sha256sum md5sum shasum file du'.split(' '),
]);
