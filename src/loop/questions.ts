import { parseKey } from '../model/step-key.ts';
import { SessionEnd } from './durable.ts';
import type { Question, Session } from './session.ts';
import type { Step } from './step.ts';

/** Tells hooks and watchers that someone is waited for. The answer does not wait for them. */
export function tellQuestion({ session: { now }, fire }: Step, asked: Question): void {
  const { id, question, title, files, expires, key = `approval/${id}` } = asked;
  now.asked.set(key, asked);
  const fields = {
    question,
    ...(title !== undefined && { title }),
    ...(files && { context: { files } }),
    extra: { approval: id, ...(expires !== undefined && { expires }) },
  };
  const told = fire(now.position, 'approval.requested', { key: parseKey(key), fields, approval: id });
  told.catch((error: unknown) => {
    if (error instanceof SessionEnd) now.ending ??= error;
    else throw error;
  });
}

export interface Answer {
  action: 'approve' | 'reject';
  message: string;
  by?: string;
}

/** Tells watchers of the answer to an agent or a script; that to a hook is in the hook's result. */
export function tellAnswer({ now, paths, watcher }: Session, key: string, answer: Answer): void {
  const asked = now.asked.get(key);
  if (!asked) return;
  now.asked.delete(key);
  const { id, question, title } = asked;
  const base = { type: 'approval.answered', at: new Date().toISOString(), session: paths.name } as const;
  watcher.notice({ ...base, approval: id, ...(title !== undefined && { title }), question, ...answer });
}
