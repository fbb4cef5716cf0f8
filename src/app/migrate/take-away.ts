import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { dialects } from '../../dialects/index.ts';
import { loadHooks } from '../../hooks/discovery/load.ts';
import type { HookDefinition } from '../../model/index.ts';
import { reasonOf, writeAtomically } from '../../platform/files.ts';
import type { Where } from '../context.ts';
import type { Migration } from '../migrate.ts';
import { bothRun } from './both-run.ts';

/** What has become of a file whose hooks were written elsewhere. */
export interface TakenAway {
  file: string;
  kind: 'removed' | 'changed' | 'moved' | 'kept';
  /** Where a script is now, or why a file was kept. */
  detail?: string;
}

/** Takes the old hooks out of their files, once the new file is there. What cannot be taken out cleanly stays, with the reason. */
export function takeAway({ written, left, moves, places }: Migration, { env }: Where): TakenAway[] {
  const moved = new Set(moves.map(({ hook }) => hook));
  const files = new Set(written.filter(({ hook }) => !moved.has(hook)).map(({ hook }) => hook.source.file));
  const ofFiles = [...files].map(file => {
    const hooks = written.map(({ hook }) => hook).filter(hook => hook.source.file === file);
    const others = left.filter(({ hook }) => hook.source.file === file).length;
    return guarded(file, () => takeFrom(file, resolve(places.root, file), hooks, others));
  });
  // A script may be the hook of two events.
  const scripts = new Map(moves.map(move => [move.from, move]));
  const ofScripts = [...scripts.values()].map(({ hook, from, to }) =>
    guarded(hook.source.file, () => {
      mkdirSync(dirname(to), { recursive: true });
      renameSync(from, to);
      removeEmpty(dirname(from));
      return { kind: 'moved', detail: to };
    }),
  );
  const taken = [...ofFiles, ...ofScripts];
  // A copy that did not count while the other stood before it counts now.
  const twice = bothRun(loadHooks({ cwd: places.root, env }).hooks, places).map(({ at }) => at.file);
  const copies = [...new Set(twice)].filter(file => !taken.some(one => one.file === file && one.kind === 'kept'));
  return [...taken, ...copies.map(file => ({ file, kind: 'kept', detail: 'it has one of these hooks too' }) as const)];
}

type Outcome = Omit<TakenAway, 'file'>;

function guarded(file: string, work: () => Outcome): TakenAway {
  try {
    return { file, ...work() };
  } catch (error) {
    return { file, kind: 'kept', detail: reasonOf(error) };
  }
}

function takeFrom(file: string, path: string, hooks: readonly HookDefinition[], others: number): Outcome {
  const dialect = dialects.find(({ name }) => name === hooks[0]!.source.dialect)!;
  if (dialect.without === undefined) {
    if (others > 0) return { kind: 'kept', detail: `${others} of its hooks are left: take out the others by hand` };
    const holdsMore = () => !isOnlyLess('', readFileSync(path, 'utf8'), hooks.length, file, dialect);
    if (dialect.locations.some(({ holds }) => holds === 'file') && holdsMore())
      return { kind: 'kept', detail: 'it holds more than these hooks: take them out by hand' };
    return remove(path);
  }
  const target = realpathSync(path);
  const text = readFileSync(target, 'utf8');
  const rest = dialect.without(text, hooks);
  if (rest === undefined || !isOnlyLess(rest, text, hooks.length, file, dialect))
    return { kind: 'kept', detail: 'its hooks cannot be taken out without touching what stands beside them' };
  if (rest === '') return remove(path);
  writeAtomically(target, rest, { mode: statSync(target).mode & 0o777 });
  return { kind: 'changed' };
}

/** Read again, exactly so many hooks must be gone, and nothing new may be wrong. Where nothing is left, all of it must have been known. */
function isOnlyLess(
  rest: string,
  text: string,
  gone: number,
  file: string,
  dialect: (typeof dialects)[number],
): boolean {
  const location = dialect.locations[0]!;
  const read = (content: string) =>
    dialect.normalise([{ kind: 'text', location, path: `/${file}`, file, text: content }], {
      ...{ root: '/', repo: '/', cwd: '/', home: '/', config: '/' },
    });
  const [before, after] = [read(text), rest === '' ? { hooks: [], problems: [] } : read(rest)];
  if (rest === '' && before.problems.some(({ message }) => message.startsWith('unknown '))) return false;
  return before.hooks.length - after.hooks.length === gone && after.problems.length <= before.problems.length;
}

function remove(path: string): Outcome {
  unlinkSync(path);
  removeEmpty(dirname(path));
  return { kind: 'removed' };
}

/** A folder that held only hooks has nothing left to hold. */
function removeEmpty(folder: string): void {
  try {
    if (!lstatSync(folder).isSymbolicLink()) rmdirSync(folder);
  } catch {
    // It holds something else, or is needed.
  }
}
