import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../model/json.ts';
import type { PipelinePlan, StagePlan } from '../model/pipeline.ts';
import { readRegularFile, writeJson } from '../platform/files.ts';
import { iterationPaths, type SessionFiles, type StageRef, stageFolder } from './paths.ts';

/** context.json: what an iteration may know. The names are the file's own. */
export interface IterationContext {
  session: string;
  pipeline: string;
  stage: { id: string; index: number; template: string };
  iteration: number;
  paths: { session_dir: string; stage_dir: string; progress: string; output: string; status: string };
  inputs: {
    from_stage: Readonly<Record<string, readonly string[]>>;
    from_previous_iterations: readonly string[];
    /** Values handed to the session: a child's inputs, `--input`, `--set`. */
    values?: Readonly<Record<string, unknown>>;
  };
  limits: { max_iterations: number; remaining_seconds: null };
}

export interface ContextFacts {
  paths: SessionFiles;
  plan: PipelinePlan;
  stage: StagePlan;
  iteration: number;
  maxIterations: number;
  values: Readonly<Record<string, unknown>>;
}

export function buildContext(facts: ContextFacts): IterationContext {
  const { paths, plan, stage, iteration, values } = facts;
  const own = iterationPaths(paths, stage, iteration);
  return {
    session: paths.name,
    pipeline: plan.name,
    stage: { id: stage.id, index: stage.index, template: stage.template },
    iteration,
    paths: {
      session_dir: paths.folder,
      stage_dir: own.stageFolder,
      progress: paths.progress,
      output: own.output,
      status: paths.current.status,
    },
    inputs: {
      from_stage: fromStages(paths, plan, stage),
      from_previous_iterations: previousOutputs(paths, stage, iteration),
      ...(Object.keys(values).length > 0 && { values }),
    },
    // No file limits a stage in time, so none runs out.
    limits: { max_iterations: facts.maxIterations, remaining_seconds: null },
  };
}

/** Outputs of the stages that `inputs:` names: the last one, or all. */
export function fromStages(
  paths: SessionFiles,
  plan: PipelinePlan,
  stage: StagePlan,
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    stage.inputs.map(({ from, select }) => {
      const source = plan.stages.find(({ id }) => id === from);
      const outputs = source ? stageOutputs(paths, source) : [];
      return [from, select === 'latest' ? outputs.slice(-1) : outputs];
    }),
  );
}

/** A file that grew with every iteration would make each slower than the one before. */
export const maxPreviousOutputs = 100;

/** Looked up once: an output of an earlier iteration neither comes nor goes while a later one runs. */
let lookedUp: { stage: string; next: number; outputs: readonly { iteration: number; path: string }[] } | undefined;

function previousOutputs(paths: SessionFiles, stage: StagePlan, iteration: number): string[] {
  const { stageFolder } = iterationPaths(paths, stage, 1);
  const first = Math.max(1, iteration - maxPreviousOutputs);
  const known = lookedUp?.stage === stageFolder && lookedUp.next === iteration - 1 ? lookedUp : undefined;
  const from = known ? Math.max(first, known.next) : first;
  const fresh = Array.from({ length: iteration - from }, (_, index) => ({
    iteration: from + index,
    path: iterationPaths(paths, stage, from + index).output,
  })).filter(({ path }) => existsSync(path));
  const outputs = [...(known?.outputs ?? []).filter(output => output.iteration >= first), ...fresh];
  lookedUp = { stage: stageFolder, next: iteration, outputs };
  return outputs.map(({ path }) => path);
}

/** Paths of a stage's outputs in the order of its iterations. Reads the folder each time: only where a hook wants to know. */
export function stageOutputs(paths: SessionFiles, stage: StageRef): string[] {
  return iterationsOf(paths, stage)
    .map(iteration => iterationPaths(paths, stage, iteration).output)
    .filter(path => existsSync(path));
}

function iterationsOf(paths: SessionFiles, stage: StageRef): number[] {
  try {
    const names = readdirSync(join(stageFolder(paths, stage), 'iterations'));
    return names
      .filter(name => /^\d{3,}$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export type Inputs = { kind: 'inputs'; values: Readonly<Record<string, unknown>> } | { kind: 'bad'; reason: string };

const maxInputsBytes = 16 * 1024 * 1024;

export const writeInputs = (paths: SessionFiles, values: Readonly<Record<string, unknown>>): void =>
  writeJson(paths.inputs, values, { sync: 'bytes' });

/** inputs.json of a child, or the file of `--input`. None means no inputs. */
export function readInputs(path: string): Inputs {
  const found = readRegularFile(path, maxInputsBytes);
  if (found.kind === 'absent') return { kind: 'inputs', values: {} };
  if (found.kind === 'unreadable') return { kind: 'bad', reason: `${path} ${found.reason}` };
  try {
    const values: unknown = JSON.parse(found.bytes.toString().replace(/^\uFEFF/, ''));
    if (isObject(values)) return { kind: 'inputs', values: values as Record<string, unknown> };
    return { kind: 'bad', reason: `${path} is not a JSON object` };
  } catch (error) {
    return { kind: 'bad', reason: `${path} is not valid JSON: ${(error as Error).message}` };
  }
}
