import type { Host } from '../host.ts';
import { native } from '../shared/events.ts';

export const events: Host['events'] = {
  SessionStart: native(['session.starting'], ['feedback']),
  BeforeAgent: native(['prompt.submitting'], ['blocks', 'feedback', 'closed']),
  BeforeTool: native(['tool.calling'], ['blocks', 'closed']),
  Notification: native(['permission.requesting']),
  AfterTool: native(['tool.called', 'tool.failed', 'file.edited'], ['blocks', 'feedback']),
  AfterAgent: native(['turn.ending', 'turn.ended'], ['blocks']),
  SessionEnd: native(['session.ended']),
};
