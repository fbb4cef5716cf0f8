import { resolve } from 'node:path';
import type { Look } from '../hooks/discovery/look.ts';
import { findPipeline } from '../loop/pipeline/find.ts';
import type { HookDefinition, Places, Problem, SpawnAction } from '../model/index.ts';
import { createPlaceIn } from './hook-place.ts';

/** What spawn hooks name: the files that exist, and what is wrong with the names that lead nowhere. */
export interface SpawnedPipelines {
  paths: readonly string[];
  problems: readonly Problem[];
}

/** Looks for the child pipelines of hooks as `run` will. */
export function findSpawned(hooks: readonly HookDefinition[], places: Places, look: Look): SpawnedPipelines {
  const placeIn = createPlaceIn(places, look);
  const paths = new Set<string>();
  const problems = new Map<string, Problem>();
  for (const hook of hooks) {
    const { action, source } = hook;
    if (action.kind !== 'spawn' || hook.disabled !== undefined) continue;
    const found = findPipeline({ name: action.pipeline, from: resolve(places.root, source.file) }, places, look);
    if (found.kind === 'not-found') {
      const at = placeIn(source, action.pipeline, 'pipeline');
      const problem = { ...toProblem(action, hook, found), at };
      problems.set(JSON.stringify([problem.message, at]), problem);
    } else paths.add(found.path);
  }
  return { paths: [...paths], problems: [...problems.values()] };
}

/** A hook of the user's own file stands in every project, and its pipeline may be in some of them only. */
function toProblem(
  { pipeline }: SpawnAction,
  { source, onFailure }: HookDefinition,
  { tried, hint }: { tried: readonly string[]; hint?: string },
): Omit<Problem, 'at'> {
  const isOfProject = source.scope !== 'user' && source.scope !== 'plugin';
  return {
    severity: isOfProject ? 'error' : 'warning',
    message: `no pipeline "${pipeline}"`,
    hint: [hint, `looked at ${tried.join(', ')}`].filter(Boolean).join(' '),
    refuses: isOfProject && onFailure === 'abort',
  };
}
