import type { Refusal } from '../../model/index.ts';
import type { Answer, Host, NativeEvent, Reply } from '../host.ts';
import { json, refusalText, silence, withMessage } from '../shared/answer.ts';
import { events } from './events.ts';

/** Anything on stdout that is not JSON counts as `allow`. */
export const answer: Host['answer'] = (native, reply) => {
  const spec = events[native];
  if (!spec) return silence;
  return withMessage(answerOf(native, reply, spec), reply.message);
};

function answerOf(native: string, reply: Reply, spec: NativeEvent): Answer {
  const { decision, feedback } = reply;
  if (decision.kind !== 'proceed') return refuse(native, decision, reply, spec);
  return feedback !== '' && spec.feedback ? json(contextOf(native, feedback)) : silence;
}

function refuse(native: string, decision: Refusal, reply: Reply, { blocks, feedback }: NativeEvent): Answer {
  const text = refusalText(decision, reply);
  if (!blocks) return json({ systemMessage: text, ...(feedback && contextOf(native, text)) });
  // A denial would hide what the tool has really done.
  if (decision.kind === 'revise' && feedback) return json(contextOf(native, text));
  const end = decision.kind === 'abort' ? { continue: false, stopReason: text } : {};
  // After the last turn `deny` would start another one.
  if (decision.kind === 'abort' && native === 'AfterAgent') return json(end);
  return json({ ...end, decision: 'deny', reason: text });
}

const contextOf = (native: string, additionalContext: string): object => ({
  hookSpecificOutput: { hookEventName: native, additionalContext },
});
