import type { Host } from '../host.ts';
import { type Grammar, nestedAnswer } from '../shared/nested-answer.ts';
import { events } from './events.ts';

/** Codex throws an answer away, and the tool runs, for `ask`, for `continue: false` before a tool and for any field it does not know. */
const grammar: Grammar = {
  styles: {
    SessionStart: 'tell',
    UserPromptSubmit: 'decision',
    PreToolUse: 'permission',
    PermissionRequest: 'request',
    PostToolUse: 'decision',
    Stop: 'turn',
  },
  feedback: native => events[native]?.feedback === true,
  ask: false,
  end: false,
};

export const answer: Host['answer'] = (native, reply) => nestedAnswer(native, reply, grammar);
