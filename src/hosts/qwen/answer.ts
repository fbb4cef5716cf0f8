import type { Host } from '../host.ts';
import { type Grammar, nestedAnswer } from '../shared/nested-answer.ts';
import { events } from './events.ts';

const grammar: Grammar = {
  styles: {
    SessionStart: 'tell',
    UserPromptSubmit: 'decision',
    PreToolUse: 'permission',
    PermissionRequest: 'request',
    // Of a block it keeps the reason to itself.
    PostToolUse: 'tell',
    PostToolUseFailure: 'tell',
    TodoCompleted: 'decision',
    Stop: 'turn',
  },
  feedback: native => events[native]?.feedback === true,
  ask: true,
  end: true,
};

export const answer: Host['answer'] = (native, reply) => nestedAnswer(native, reply, grammar);
