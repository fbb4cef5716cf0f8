import type { Refusal } from '../../model/index.ts';
import type { Answer, Host, Reply } from '../host.ts';
import { json, refusalText, silence, told } from '../shared/answer.ts';
import { events } from './events.ts';

export const answer: Host['answer'] = (native, reply) => {
  const { decision, feedback } = reply;
  if (decision.kind !== 'proceed') return refuse(native, decision, reply);
  return feedback !== '' && events[native]?.feedback ? json({ additionalContext: feedback }) : silence;
};

function refuse(native: string, decision: Refusal, reply: Reply): Answer {
  const text = refusalText(decision, reply);
  const isAsking = decision.kind === 'block' && decision.ask === true;
  switch (native) {
    case 'preToolUse':
      return json({ permissionDecision: isAsking ? 'ask' : 'deny', permissionDecisionReason: text });
    case 'permissionRequest':
      // The user is being asked already.
      if (isAsking) return silence;
      return json({ behavior: 'deny', message: text, ...(decision.kind === 'abort' && { interrupt: true }) });
    case 'agentStop':
      return decision.kind === 'abort' ? told(text) : json({ decision: 'block', reason: text });
    default:
      return events[native]?.feedback ? json({ additionalContext: text }) : told(text);
  }
}
