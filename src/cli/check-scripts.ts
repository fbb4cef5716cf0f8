import { basename } from 'node:path';
import { isExecutable } from '../actions/executable.ts';
import type { Look } from '../hooks/discovery/look.ts';
import { shownPath } from '../hooks/discovery/places.ts';
import { startedPaths } from '../hooks/trust/named-paths.ts';
import type { HookDefinition, Places, Position, Problem } from '../model/index.ts';
import { createPlaceIn, type PlaceIn } from './hook-place.ts';

/** Scripts that commands name and that cannot be run: missing, links to nothing, folders, not executable. */
export function scriptProblems(hooks: readonly HookDefinition[], places: Places, look: Look): Problem[] {
  const placeIn = createPlaceIn(places, look);
  const problems = new Map<string, Problem>();
  for (const hook of hooks) {
    if (hook.disabled !== undefined || hook.unavailable !== undefined) continue;
    const own = hook.root === undefined ? places : { ...places, root: hook.root, repo: hook.root };
    // A command in the user's own file runs in every project, and its script may be in some of them only.
    const isEverywhere = hook.source.scope === 'user' && hook.action.kind === 'shell';
    for (const { path, isProgram } of startedPaths(hook, own)) {
      const flaw = flawOf(path, isProgram, look);
      if (flaw === undefined || (isEverywhere && path.startsWith(`${own.root}/`))) continue;
      const shown = shownPath(path, own);
      const at = placeInCommand(hook, basename(path), placeIn);
      const hint = flaw === notExecutable ? `chmod +x ${shown}` : undefined;
      const problem = { severity: 'warning', message: `${shown} ${flaw}`, at, refuses: false } as const;
      problems.set(JSON.stringify([problem.message, at]), hint === undefined ? problem : { ...problem, hint });
    }
  }
  return [...problems.values()];
}

/** Other commands of the same line may name the same script. */
function placeInCommand({ action, source }: HookDefinition, name: string, placeIn: PlaceIn): Position {
  const command = action.kind === 'shell' ? action.command : '';
  for (const written of [JSON.stringify(command), `'${command}'`, command]) {
    const at = placeIn(source, written);
    const inside = written.indexOf(name);
    if (inside >= 0 && at.lineText?.startsWith(written, at.column - 1))
      return { ...at, column: at.column + inside, length: name.length };
  }
  return placeIn(source, name);
}

const notExecutable = 'is not executable, so this command cannot start it';

function flawOf(path: string, isProgram: boolean, look: Look): string | undefined {
  const stats = look.stat(path);
  if (!stats) return look.failures.get(path) ?? 'does not exist';
  if (!stats.isFile()) return stats.isDirectory() ? 'is a folder, not a script' : undefined;
  return isProgram && !isExecutable(path) ? notExecutable : undefined;
}
