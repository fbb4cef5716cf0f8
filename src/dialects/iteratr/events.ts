import type { DialectWire } from '../../model/index.ts';

export const events: DialectWire['events'] = {
  session_start: ['session.starting'],
  pre_iteration: ['iteration.starting'],
  post_iteration: ['iteration.completed'],
  session_end: ['session.ended'],
  on_task_complete: ['task.completed'],
  on_error: ['iteration.failed'],
};

/** Each `{{name}}`: the variable that holds its value, and the hook types it has a value in. */
export const placeholders: Readonly<Record<string, { variable: string; types: readonly string[] }>> = {
  session: { variable: 'HOOK_SESSION', types: Object.keys(events) },
  iteration: { variable: 'HOOK_ITERATION', types: ['pre_iteration', 'post_iteration', 'on_error'] },
  task_id: { variable: 'HOOK_TASK_ID', types: ['on_task_complete'] },
  task_content: { variable: 'HOOK_TASK_CONTENT', types: ['on_task_complete'] },
  error: { variable: 'HOOK_ERROR', types: ['on_error'] },
};
