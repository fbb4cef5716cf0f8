import type { Host } from '../host.ts';
import { json, refusalText, told } from '../shared/answer.ts';
import { events } from './events.ts';

/** The plugin throws what stands in `deny`, and adds `context` to what the model reads. Silence is no answer to it. */
export const answer: Host['answer'] = (native, reply) => {
  const { decision, feedback } = reply;
  const spec = events[native];
  if (decision.kind === 'proceed') return feedback !== '' && spec?.feedback ? json({ context: feedback }) : json({});
  const text = refusalText(decision, reply);
  if (spec?.blocks) return json({ deny: text });
  return spec?.feedback ? json({ context: text }) : told(text);
};
