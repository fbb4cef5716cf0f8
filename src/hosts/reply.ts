import { type EventName, type EventResult, strictest } from '../model/index.ts';
import type { Reply } from './host.ts';

/** One reply for all events of a payload. The text of a hook that refuses is its reason; it is not said twice. */
export function toReply(results: readonly EventResult[]): Reply {
  const decision = strictest(results.map(result => result.decision));
  const texts = results.flatMap(({ results: hooks }) =>
    hooks.flatMap(hook =>
      hook.status === 'finished' && hook.feedback && (decision.kind === 'proceed' || hook.decision.kind === 'proceed')
        ? [hook.feedback]
        : [],
    ),
  );
  return { decision, feedback: texts.join('\n') };
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
