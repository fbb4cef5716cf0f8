import type { DialectWire } from '../../model/index.ts';

/** First the names of the documentation, then those that only the original program's code knows. */
export const events: DialectWire['events'] = {
  after_edit: ['file.edited'],
  after_turn: ['turn.ended'],
  pre_tool: ['tool.calling'],
  post_tool: ['tool.called'],
  post_tool_failure: ['tool.failed'],
  teammate_idle: ['teammate.idling'],
  task_completed: ['task.completing'],
  pre_tool_use: ['tool.calling'],
  post_tool_use: ['tool.called'],
  post_tool_use_failure: ['tool.failed'],
  session_start: ['session.starting'],
  user_prompt_submit: ['prompt.submitting'],
  permission_request: ['permission.requesting'],
};
