import type { HookDefinition } from './hook.ts';

/** What `run` goes through: stages with everything resolved, ready to be journalled. */
export interface PipelinePlan {
  name: string;
  /** Absent for `--prompt` and `--tasks`. */
  file?: string;
  stages: readonly StagePlan[];
  /** Hooks of the pipeline file. */
  hooks: readonly HookDefinition[];
  disableGlobalHooks: boolean;
  agent?: string;
  /** Those that take over while it is limited. */
  otherAgents?: readonly string[];
  passEnv: readonly string[];
}

/** The hooks that a pipeline brings along, those of its stages first. */
export const pipelineHooks = ({ stages, hooks }: PipelinePlan): readonly HookDefinition[] => [
  ...stages.flatMap(stage => stage.hooks),
  ...hooks,
];

export interface StagePlan {
  /** Unique in the pipeline; other stages name it in `from`. */
  id: string;
  index: number;
  /** The loop or stage file's name. */
  template: string;
  role: 'planner' | 'builder';
  /** The prompt's text, variables not filled in. */
  prompt: string;
  termination: Termination;
  delayMs: number;
  /** Where its inputs come from. */
  inputs: readonly { from: string; select: 'latest' | 'all' }[];
  /** One after another over the iterations; empty: none. */
  perspectives: readonly string[];
  agent?: string;
  otherAgents?: readonly string[];
  /** Hooks of the loop or stage file. */
  hooks: readonly HookDefinition[];
  disableGlobalHooks: boolean;
  passEnv: readonly string[];
}

export type Termination =
  | { type: 'fixed'; iterations: number }
  | { type: 'queue'; max: number }
  | { type: 'judgment'; max: number; minIterations: number; consensus: number; judge?: string };

/** What a judge is told of an iteration. */
export interface StageFacts {
  stage: string;
  iteration: number;
  maxIterations: number;
  /** What the agent was told. */
  prompt: string;
  /** What it said at the end of the iteration, and the file that has it. */
  output: string;
  outputFile: string;
}
