import { nestedAnswer } from '../answer-json.ts';
import type { Host } from '../host.ts';
import { native } from '../native-events.ts';

const events: Host['events'] = {
  SessionStart: native(['session.starting'], ['feedback']),
  UserPromptSubmit: native(['prompt.submitting'], ['blocks', 'feedback', 'closed']),
  PreToolUse: native(['tool.calling'], ['blocks', 'feedback', 'closed']),
  PermissionRequest: native(['permission.requesting'], ['blocks']),
  PostToolUse: native(['tool.called', 'file.edited'], ['blocks', 'feedback']),
  Stop: native(['turn.ending', 'turn.ended'], ['blocks']),
  SubagentStart: native(['subagent.starting'], ['feedback']),
  SubagentStop: native(['subagent.ending'], ['blocks']),
  PreCompact: native(['context.compacting'], ['blocks']),
  PostCompact: native(['context.compacted']),
  // Codex waits 3 s at most, whatever its file says.
  SessionEnd: native(['session.ended'], [], 3000),
};

export const codex: Host = {
  name: 'codex',
  events,
  projectVariables: [],
  capsTurns: false,
  files: {
    ...{ project: '.codex/hooks.json', shared: '.codex/hooks.json', user: 'hooks.json' },
    home: { variable: 'CODEX_HOME', otherwise: '.codex' },
    others: { project: ['.codex/config.toml'], user: ['config.toml'] },
  },
  // Codex throws an answer away, and the tool runs, for `ask`, for `continue: false` before a tool and for any field it does not know.
  // It takes `allow` only with another input, and asks its user all the same.
  answer: nestedAnswer({
    ...{ events, ask: false, end: false, byStop: ['PreCompact'] },
    changes: updatedInput => ({ permissionDecision: 'allow', updatedInput }),
  }),
};
