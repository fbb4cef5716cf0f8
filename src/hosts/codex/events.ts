import type { Host } from '../host.ts';
import { native } from '../shared/events.ts';

export const events: Host['events'] = {
  SessionStart: native(['session.starting'], ['feedback']),
  UserPromptSubmit: native(['prompt.submitting'], ['blocks', 'feedback', 'closed']),
  PreToolUse: native(['tool.calling'], ['blocks', 'feedback', 'closed']),
  PermissionRequest: native(['permission.requesting'], ['blocks']),
  PostToolUse: native(['tool.called', 'file.edited'], ['blocks', 'feedback']),
  Stop: native(['turn.ending', 'turn.ended'], ['blocks']),
  // Codex waits 3 s at most, whatever its file says.
  SessionEnd: native(['session.ended'], [], 3000),
};
