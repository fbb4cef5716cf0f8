import { createLook, type Look } from '../../hooks/discovery/look.ts';
import type { Places, Problem } from '../../model/index.ts';
import type { PipelinePlan } from '../../model/pipeline.ts';
import type { AgentFlaw } from './agents.ts';
import { createReader, type Reader, type ReadFile } from './file.ts';
import { findPipeline } from './find.ts';
import { buildStage } from './stage.ts';
import { stagesOf } from './stages.ts';

export interface ResolveOptions {
  places: Places;
  /** The file that names the pipeline; absent: the name was given on the command line. */
  from?: string;
  look?: Look;
  /** Tells of agents and judges that nobody knows; absent: they are not looked at. */
  agentFlaw?: AgentFlaw;
}

export type ResolvedPipeline =
  /** Problems that are left do not stop it: warnings, and hooks that cannot refuse anything. */
  | { kind: 'plan'; plan: PipelinePlan; problems: readonly Problem[]; paths: readonly string[] }
  | { kind: 'not-found'; name: string; tried: readonly string[]; hint?: string }
  /** `paths`: of every file that it consists of. */
  | { kind: 'bad'; problems: readonly Problem[]; paths: readonly string[] };

/** Finds a pipeline, loop or stage by path or name and reads everything it consists of. */
export function resolvePipeline(name: string, options: ResolveOptions): ResolvedPipeline {
  const { places, from, look = createLook(), agentFlaw } = options;
  const found = findPipeline({ name, ...(from !== undefined && { from }) }, places, look);
  if (found.kind === 'not-found') return { ...found, name };
  const reader = createReader(places, look, agentFlaw);
  const plan = planOf(reader.use(found.path), reader, places, look);
  const read = { problems: reader.problems(), paths: reader.used() };
  return plan === undefined || read.problems.some(({ refuses }) => refuses)
    ? { kind: 'bad', ...read }
    : { kind: 'plan', plan, ...read };
}

function planOf(file: ReadFile | undefined, reader: Reader, places: Places, look: Look): PipelinePlan | undefined {
  if (!file) return undefined;
  const { name, settings } = file;
  if (!file.isPipeline) {
    const stage = buildStage({ id: name, index: 0, loop: file, inputs: [], pipeline: {} }, look);
    return stage && { name, file: file.file, stages: [stage], hooks: [], disableGlobalHooks: false, passEnv: [] };
  }
  const stages = stagesOf(file, reader, places, look);
  return (
    stages && {
      name,
      file: file.file,
      stages,
      hooks: file.hooks,
      disableGlobalHooks: settings.disable_global_hooks ?? false,
      ...(settings.agent !== undefined && { agent: settings.agent }),
      passEnv: settings.pass_env ?? [],
    }
  );
}
