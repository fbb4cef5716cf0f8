import type { Host } from '../host.ts';
import { native } from '../shared/events.ts';

export const events: Host['events'] = {
  SessionStart: native(['session.starting'], ['feedback']),
  UserPromptSubmit: native(['prompt.submitting'], ['blocks', 'feedback', 'closed']),
  // It throws away the text of a call that it goes on with.
  PreToolUse: native(['tool.calling'], ['blocks', 'closed']),
  PermissionRequest: native(['permission.requesting'], ['blocks']),
  PostToolUse: native(['tool.called', 'file.edited'], ['feedback']),
  PostToolUseFailure: native(['tool.failed'], ['feedback']),
  TodoCompleted: native(['task.completing'], ['blocks']),
  Stop: native(['turn.ending', 'turn.ended'], ['blocks']),
  StopFailure: native(['iteration.failed']),
  SessionEnd: native(['session.ended']),
};
