import type { PipelinePlan, StagePlan, Termination } from '../../model/pipeline.ts';

/** Iterations beyond the number of tasks, for those that are taken again. */
const spareIterations = 5;

/** `--prompt` and `--prompt-file`: one builder stage. */
export const promptPlan = (text: string, maxIterations = 1): PipelinePlan =>
  planOf('prompt', text, { type: 'fixed', iterations: maxIterations });

/** `--tasks`: one builder stage that takes the first open task until none is left. */
export const tasksPlan = (tasks: { unticked: number; maxIterations?: number | undefined }): PipelinePlan =>
  planOf('tasks', taskPrompt, { type: 'queue', max: tasks.maxIterations ?? tasks.unticked + spareIterations });

/** Filled in with TASK, TASK_ID, TASKS_FILE, TASK_DONE and PROGRESS. */
export const taskPrompt = `Do this task, and only this one:

\${TASK}

It is task \${TASK_ID} of \${TASKS_FILE}. \${TASK_DONE}

Notes of earlier iterations are in \${PROGRESS}. Add what the next one must know.
`;

/** How a task becomes done, for the agent. */
export const howTaskIsDone = (id: string, byGates: boolean): string =>
  byGates
    ? 'When it is done, stop: checks run then, and the task is marked as done where they pass. Do not mark\nany task yourself.'
    : `When it is done, tick its box there: change \`[ ]\` to \`[x]\` on its line and
nothing else in the file. If you have the tool task_done, calling it with id "${id}" does as well. Do not tick
other tasks, and do not tick this one before it is done: checks run when you stop.`;

function planOf(name: string, prompt: string, termination: Termination): PipelinePlan {
  const stage: StagePlan = {
    id: 'work',
    index: 0,
    template: 'inline',
    role: 'builder',
    prompt,
    termination,
    delayMs: 0,
    inputs: [],
    perspectives: [],
    hooks: [],
    disableGlobalHooks: false,
    passEnv: [],
  };
  return { name, stages: [stage], hooks: [], disableGlobalHooks: false, passEnv: [] };
}
