import type { Look } from '../discovery/look.ts';
import { findPipelineFiles } from '../discovery/pipeline-files.ts';
import type { HookDefinition, Problem } from '../model/index.ts';
import { createReader } from '../pipeline/file.ts';
import { resolvePipeline } from '../pipeline/resolve.ts';
import type { AllHooks } from './list-hooks.ts';

/** What pipelines consist of beyond their own files: the loops and stages they name, wherever those stand. */
export interface PipelineParts {
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
}

/** Gives only what the files by themselves have not told yet. */
export function pipelineParts({ places, files, hooks, problems }: AllHooks, look: Look): PipelineParts {
  const reader = createReader(places, look);
  const pipelines = findPipelineFiles(places, look).found.filter(
    ({ file, path }) => files.has(file) && reader.isPipeline(path),
  );
  const resolved = pipelines.map(({ path }) => resolvePipeline(path, { places, look }));
  return {
    hooks: unknownOf(
      resolved.flatMap(one => (one.kind === 'plan' ? one.plan.stages.flatMap(stage => stage.hooks) : [])),
      hooks,
      ({ id }) => id,
    ),
    problems: unknownOf(
      resolved.flatMap(one => (one.kind === 'not-found' ? [] : one.problems)),
      problems,
      ({ severity, message, at: { file, line, column } }) => JSON.stringify([severity, message, file, line, column]),
    ),
  };
}

/** Each once, by its key, and none of those that are known. */
function unknownOf<T>(found: readonly T[], known: readonly T[], keyOf: (item: T) => string): T[] {
  const keys = new Set(known.map(keyOf));
  return [...new Map(found.filter(item => !keys.has(keyOf(item))).map(item => [keyOf(item), item])).values()];
}
