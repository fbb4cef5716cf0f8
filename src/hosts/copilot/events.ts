import type { Host } from '../host.ts';
import { native } from '../shared/events.ts';

export const events: Host['events'] = {
  sessionStart: native(['session.starting'], ['feedback']),
  userPromptSubmitted: native(['prompt.submitting']),
  // A timeout lets the tool run, so ours must come first.
  preToolUse: native(['tool.calling'], ['blocks', 'closed']),
  permissionRequest: native(['permission.requesting'], ['blocks']),
  postToolUse: native(['tool.called', 'file.edited'], ['feedback']),
  postToolUseFailure: native(['tool.failed'], ['feedback']),
  agentStop: native(['turn.ending', 'turn.ended'], ['blocks']),
  errorOccurred: native(['iteration.failed']),
  sessionEnd: native(['session.ended']),
};
