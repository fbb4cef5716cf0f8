import type { Engine } from '../engine/engine.ts';
import type { LoadedHooks } from '../hooks/discovery/load.ts';
import { createMask } from '../hooks/secrets/mask.ts';
import { describeProblem, type Problem } from '../model/index.ts';
import { type ComposeOptions, composeEngine } from './compose.ts';

export type LibraryOptions = Partial<
  Pick<ComposeOptions, 'env' | 'mask' | 'actions' | 'onProgress' | 'relay' | 'warn' | 'dryRun'>
>;

/** Hook files with errors in something that is or may be a gate. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(problems.map(problem => describeProblem(problem)).join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/**
 * An engine for hooks that `loadHooks` found. Contract: throws ConfigError when a gate is broken, since an engine
 * without it would wave everything through.
 */
export function createEngine(loaded: LoadedHooks, options: LibraryOptions = {}): Engine {
  const broken = loaded.problems.filter(problem => problem.refuses);
  if (broken.length > 0) throw new ConfigError(broken);
  const env = options.env ?? { ...process.env };
  return composeEngine({
    ...options,
    env,
    mask: options.mask ?? createMask(env),
    hooks: loaded.hooks,
    places: loaded.places,
  });
}
