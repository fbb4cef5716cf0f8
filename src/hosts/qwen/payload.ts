import type { Host, Payload } from '../host.ts';
import { toEvents } from '../shared/events.ts';
import { events } from './events.ts';

export const read: Host['read'] = (native, payload, now) => {
  const why = whyNothing(native, payload);
  if (why !== undefined) return { kind: 'other', why };
  const { todo_id, todo_content, ...rest } = payload;
  const fields = native === 'TodoCompleted' ? { ...rest, task_id: todo_id, task_content: todo_content } : payload;
  return toEvents('qwen', events[native]!.fires, fields, now);
};

function whyNothing(native: string, { prompt, phase }: Payload): string | undefined {
  if (native === 'UserPromptSubmit' && prompt === '')
    return 'Qwen Code sends an empty prompt after each round of tools';
  if (native === 'TodoCompleted' && phase === 'postWrite') return 'the same task was asked about before it was written';
  return undefined;
}
