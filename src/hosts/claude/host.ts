import { nestedAnswer } from '../answer-json.ts';
import type { Host } from '../host.ts';
import { native } from '../native-events.ts';

const events: Host['events'] = {
  SessionStart: native(['session.starting'], ['feedback']),
  UserPromptSubmit: native(['prompt.submitting'], ['blocks', 'feedback', 'closed']),
  PreToolUse: native(['tool.calling'], ['blocks', 'feedback', 'closed']),
  PermissionRequest: native(['permission.requesting'], ['blocks']),
  PostToolUse: native(['tool.called', 'file.edited'], ['blocks', 'feedback']),
  PostToolUseFailure: native(['tool.failed'], ['blocks', 'feedback']),
  TaskCompleted: native(['task.completing'], ['blocks']),
  TeammateIdle: native(['teammate.idling'], ['blocks']),
  // Text beside a finished turn would make Claude go on, so it waits for the next prompt.
  Stop: native(['turn.ending', 'turn.ended'], ['blocks']),
  StopFailure: native(['iteration.failed']),
  SubagentStart: native(['subagent.starting'], ['feedback']),
  SubagentStop: native(['subagent.ending'], ['blocks']),
  PreCompact: native(['context.compacting'], ['blocks']),
  PostCompact: native(['context.compacted']),
  // A block there would end the turn; what a hook found is for the model.
  PostToolBatch: native(['tools.called'], ['feedback']),
  PermissionDenied: native(['permission.denied']),
  Notification: native(['notification.sent']),
  ConfigChange: native(['config.changing'], ['blocks']),
  CwdChanged: native(['folder.changed']),
  FileChanged: native(['file.changed']),
  InstructionsLoaded: native(['instructions.loaded']),
  // All hooks of this event together get 1.5 s, or the longest timeout among them up to a minute.
  SessionEnd: native(['session.ended'], [], 60_000),
};

export const claude: Host = {
  name: 'claude',
  events,
  projectVariables: ['CLAUDE_PROJECT_DIR'],
  capsTurns: true,
  files: {
    ...{ project: '.claude/settings.local.json', shared: '.claude/settings.json', user: 'settings.json' },
    home: { variable: 'CLAUDE_CONFIG_DIR', otherwise: '.claude' },
  },
  asksUser: true,
  replacesOutput: true,
  answer: nestedAnswer({
    ...{ events, ask: true, end: true, byExitCode: ['TaskCompleted', 'TeammateIdle'] },
    changes: updatedInput => ({ updatedInput }),
  }),
};
