import type { Host } from '../host.ts';
import { native } from '../shared/events.ts';

export const events: Host['events'] = {
  sessionStart: native(['session.starting'], ['feedback']),
  beforeSubmitPrompt: native(['prompt.submitting'], ['blocks', 'closed']),
  preToolUse: native(['tool.calling'], ['blocks', 'closed']),
  // The same call comes here after preToolUse: this is the question whether it may run.
  beforeShellExecution: native(['permission.requesting'], ['blocks']),
  beforeMCPExecution: native(['permission.requesting'], ['blocks']),
  postToolUse: native(['tool.called'], ['feedback']),
  postToolUseFailure: native(['tool.failed']),
  afterFileEdit: native(['file.edited']),
  stop: native(['turn.ending', 'turn.ended', 'iteration.failed'], ['blocks']),
  sessionEnd: native(['session.ended']),
};
