import { nestedAnswer } from '../answer-json.ts';
import type { Host } from '../host.ts';
import { native } from '../native-events.ts';

const events: Host['events'] = {
  SessionStart: native(['session.starting'], ['feedback']),
  UserPromptSubmit: native(['prompt.submitting'], ['blocks', 'feedback', 'closed']),
  // It throws away the text of a call that it goes on with.
  PreToolUse: native(['tool.calling'], ['blocks', 'closed']),
  PermissionRequest: native(['permission.requesting'], ['blocks']),
  // Of a block it keeps the reason to itself.
  PostToolUse: native(['tool.called', 'file.edited'], ['feedback']),
  PostToolUseFailure: native(['tool.failed'], ['feedback']),
  TodoCompleted: native(['task.completing'], ['blocks']),
  Stop: native(['turn.ending', 'turn.ended'], ['blocks']),
  StopFailure: native(['iteration.failed']),
  SubagentStart: native(['subagent.starting'], ['feedback']),
  SubagentStop: native(['subagent.ending'], ['blocks']),
  PreCompact: native(['context.compacting'], ['feedback']),
  PostCompact: native(['context.compacted']),
  PostToolBatch: native(['tools.called'], ['feedback']),
  PermissionDenied: native(['permission.denied']),
  Notification: native(['notification.sent']),
  InstructionsLoaded: native(['instructions.loaded']),
  SessionEnd: native(['session.ended']),
};

export const qwen: Host = {
  name: 'qwen',
  events,
  projectVariables: ['QWEN_PROJECT_DIR', 'CLAUDE_PROJECT_DIR'],
  capsTurns: true,
  files: { project: '.qwen/settings.json', shared: '.qwen/settings.json', user: '.qwen/settings.json' },
  read(name, payload) {
    const { todo_id, todo_content, ...rest } = payload;
    if (name === 'UserPromptSubmit' && rest['prompt'] === '')
      return 'Qwen Code sends an empty prompt after each round of tools';
    if (name !== 'TodoCompleted') return { fields: payload };
    if (rest['phase'] === 'postWrite') return 'the same task was asked about before it was written';
    return { fields: { ...rest, task_id: todo_id, task_content: todo_content } };
  },
  answer: nestedAnswer({ events, ask: true, end: true, changes: updatedInput => ({ updatedInput }) }),
};
