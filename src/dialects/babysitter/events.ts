import type { DialectWire } from '../../model/index.ts';

/** The hook types of the SDK, then those that Claude Code's own hooks hand on. */
export const events: DialectWire['events'] = {
  'on-run-start': ['session.starting'],
  'on-run-complete': ['session.completed'],
  'on-run-fail': ['session.failed'],
  'on-iteration-start': ['iteration.starting'],
  'on-iteration-end': ['iteration.completed', 'iteration.failed'],
  'on-task-start': ['task.starting'],
  'on-task-complete': ['task.completed'],
  'on-breakpoint': ['approval.requested'],
  'on-score': ['score.recorded'],
  'on-step-dispatch': ['step.dispatching'],
  'post-planning': ['plan.completed'],
  'pre-branch': ['branch.creating'],
  'pre-commit': ['commit.creating'],
  SessionStart: ['session.starting'],
  Stop: ['turn.ending'],
  PreToolUse: ['tool.calling'],
  PostToolUse: ['tool.called'],
};

/** Scripts of these types speak Claude Code's language. */
export const claudeTypes: ReadonlySet<string> = new Set(['SessionStart', 'Stop', 'PreToolUse', 'PostToolUse']);
