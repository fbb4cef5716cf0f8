import type { OuterRoot } from '../hooks/discovery/load.ts';
import { createLook, type Look } from '../hooks/discovery/look.ts';
import { loadPipelineFiles } from '../hooks/discovery/pipeline-files.ts';
import { loadApplyingHooks } from '../hooks/plan/applying.ts';
import { eventNames, type HookDefinition, type Places, type Problem, scopes } from '../model/index.ts';
import type { Io } from './io.ts';

/** Everything that hook files and pipeline files say, in the order of events and, inside one, in the order hooks run. */
export interface AllHooks {
  places: Places;
  hooks: readonly HookDefinition[];
  problems: readonly Problem[];
  /** Files that have hooks or problems, and every pipeline file. */
  files: ReadonlySet<string>;
  outer: readonly OuterRoot[];
  /** Roots that want to end the search, nearest first. */
  ends: readonly string[];
}

export function loadAllHooks({ cwd, env }: Io, look: Look = createLook()): AllHooks {
  const loaded = loadApplyingHooks({ cwd, env, look });
  const pipelines = loadPipelineFiles(loaded.places, look);
  const hooks = [...pipelines.hooks, ...loaded.hooks].toSorted(
    (a, b) =>
      eventNames.indexOf(a.event) - eventNames.indexOf(b.event) ||
      scopes.indexOf(a.source.scope) - scopes.indexOf(b.source.scope),
  );
  const problems = [...loaded.problems, ...pipelines.problems];
  const files = [
    ...loaded.files.filter(file => !hooks.some(({ source }) => source.file.startsWith(`${file}/`))),
    ...hooks.map(({ source }) => source.file),
    ...problems.map(({ at }) => at.file),
    ...pipelines.files,
  ];
  const { places, outer, ends } = loaded;
  return { places, hooks, problems, files: new Set(files), outer, ends };
}
