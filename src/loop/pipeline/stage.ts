import type { Look } from '../../hooks/discovery/look.ts';
import type { StagePlan } from '../../model/pipeline.ts';
import type { Part, ReadFile } from './file.ts';
import { promptOf } from './prompt.ts';
import { terminationOf } from './termination.ts';

export interface StageParts {
  id: string;
  index: number;
  /** The stage as the pipeline writes it; absent where a loop runs alone. */
  entry?: Part;
  /** The file that `loop:` or `stage:` names. */
  loop?: ReadFile;
  inputs: StagePlan['inputs'];
  pipeline: { agent?: string | undefined; commands?: Readonly<Record<string, string>> | undefined };
}

/** One stage with everything resolved. What the entry says goes before what the loop says. */
export function buildStage(
  { id, index, entry, loop, inputs, pipeline }: StageParts,
  look: Look,
): StagePlan | undefined {
  const said: Part['settings'] = { ...(loop?.settings as Part['settings'] | undefined), ...entry?.settings };
  const perspectives = said.perspectives ?? [];
  const own = said.agent;
  const prompt = promptOf(entry, loop, pipeline.commands ?? {}, look);
  const termination = terminationOf(entry, loop, { perspectives: perspectives.length, agent: own ?? pipeline.agent });
  if (prompt === undefined || termination === undefined) return undefined;
  return {
    id,
    index,
    template: loop?.name ?? 'inline',
    role: (said.role as StagePlan['role'] | undefined) ?? roleByName([id, entry?.settings.name]),
    prompt,
    termination,
    delayMs: Math.min(Math.round((said.delay ?? 0) * 1000), Number.MAX_SAFE_INTEGER),
    inputs,
    perspectives,
    ...(own !== undefined && { agent: own }),
    hooks: [...(loop?.hooks ?? []), ...(entry?.hooks ?? [])],
    disableGlobalHooks: [loop, entry].some(part => part?.settings.disable_global_hooks === true),
    passEnv: [...new Set([...(loop?.settings.pass_env ?? []), ...(entry?.settings.pass_env ?? [])])],
  };
}

const roleByName = (names: readonly (string | undefined)[]): StagePlan['role'] =>
  names.some(name => name === 'plan' || name === 'planning') ? 'planner' : 'builder';
