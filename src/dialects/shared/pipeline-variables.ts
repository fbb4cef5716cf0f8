import type { Carried, HookEvent } from '../../model/index.ts';

/** agent-pipelines' variables of an event: for the environment, for conditions and for `${NAME}` in requests. Missing ones are empty. */
export const pipelineVariables = (event: HookEvent, carried: Carried): Record<string, string> => ({
  SESSION: event.session ?? '',
  STAGE: event.stage ?? '',
  NEXT_STAGE: event.nextStage ?? '',
  ITERATION: numberText(event.iteration),
  MAX_ITERATIONS: numberText(event.maxIterations),
  PROGRESS: event.progress ?? '',
  STATUS: event.statusFile ?? '',
  CTX: event.contextFile ?? '',
  LAST_DECISION: event.lastDecision ?? '',
  LAST_HOOK_STATUS: carried.lastHookStatus,
  CHANGED_FILES: (event.changedFiles ?? []).join('\n'),
  STAGE_OUTPUTS: (event.stageOutputs ?? []).join('\n'),
  ERROR: event.error ?? '',
  TIMESTAMP: event.at ?? '',
  HOOK_RESPONSE: carried.hookResponse,
  ...(carried.callbackUrl !== undefined && { CALLBACK_URL: carried.callbackUrl }),
  SPAWN_OUTPUT: carried.spawnOutput,
});

/** What native hooks see beside those. */
export const nativeVariables = (event: HookEvent, carried: Carried): Record<string, string> => ({
  ...pipelineVariables(event, carried),
  AGENT: event.agent ?? '',
  TOOL: event.tool ?? '',
  FILE: event.file ?? '',
  TASK_ID: event.taskId ?? '',
  TASK_CONTENT: event.content ?? '',
  MESSAGE: event.message ?? '',
});

const numberText = (value: number | undefined): string => (value === undefined ? '' : String(value));
