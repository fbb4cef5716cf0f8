import type { Refusal } from '../../model/index.ts';
import type { Answer, Host, Reply } from '../host.ts';
import { json, refusalText } from '../shared/answer.ts';
import { events } from './events.ts';

/**
 * Flat JSON with exit code 0, and never nothing: an entry that fails closed takes silence for a failure.
 * Cursor hands `user_message` to the model; `ask` is a denial without a question there.
 */
export const answer: Host['answer'] = (native, reply) => {
  const { decision, feedback } = reply;
  if (decision.kind !== 'proceed') return refuse(native, decision, reply);
  if (native === 'preToolUse') return json({ permission: 'allow' });
  if (native === 'beforeSubmitPrompt') return json({ continue: true });
  return json(feedback !== '' && events[native]?.feedback ? { additional_context: feedback } : {});
};

function refuse(native: string, decision: Refusal, reply: Reply): Answer {
  const text = refusalText(decision, reply);
  switch (native) {
    case 'preToolUse':
    case 'beforeShellExecution':
    case 'beforeMCPExecution':
      return json({ permission: 'deny', user_message: text, agent_message: text });
    case 'beforeSubmitPrompt':
      return json({ continue: false, user_message: text });
    case 'stop':
      return decision.kind === 'abort' ? shown(text) : json({ followup_message: text });
    default:
      return events[native]?.feedback ? json({ additional_context: text }) : shown(text);
  }
}

const shown = (text: string): Answer => ({ ...json({}), stderr: `${text}\n` });
