import { type EventName, type EventResult, strictest } from '../model/index.ts';
import type { Reply } from './host.ts';

/** One reply for all events of a payload. The text of a hook that refuses takes the place of its reason, as in a session. */
export function toReply(results: readonly EventResult[]): Reply {
  const decision = strictest(results.map(result => result.decision));
  let reason = decision.kind === 'proceed' ? '' : decision.reason;
  const beside: string[] = [];
  const messages: string[] = [];
  for (const hook of results.flatMap(result => result.results)) {
    if (hook.status === 'finished' && hook.message) messages.push(hook.message);
    if (hook.status !== 'finished' || !hook.feedback) continue;
    const { feedback, decision: own } = hook;
    if (own.kind === 'proceed' || !reason.includes(own.reason)) beside.push(feedback);
    else if (!reason.includes(feedback)) reason = reason.replace(own.reason, () => feedback);
  }
  return {
    decision: decision.kind === 'proceed' ? decision : { ...decision, reason },
    feedback: beside.join('\n'),
    ...(messages.length > 0 && { message: messages.join('\n') }),
  };
}

export const refusalReply = (reason: string): Reply => ({
  decision: { kind: 'block', reason, by: 'hookloop' },
  feedback: '',
});

/** Events that are refused where we cannot tell what the hooks would say. The end of a turn is not: it would never end. */
const guarded: ReadonlySet<EventName> = new Set([
  'tool.calling',
  'prompt.submitting',
  'task.completing',
  'permission.requesting',
]);

export const isGuarded = (fires: readonly EventName[]): boolean => fires.some(name => guarded.has(name));
