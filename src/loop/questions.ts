import { parseKey } from '../model/step-key.ts';
import { fire } from './fire.ts';
import type { Loop } from './loop.ts';
import { SessionEnd } from './session-end.ts';

/** A question to a person that can be answered from now on. */
export interface Question {
  id: string;
  question: string;
  title?: string;
  files?: readonly { path: string; format: string }[];
  /** Of the work that waits for the answer. */
  key?: string;
  /** ISO time. */
  expires?: string;
}

/** Tells hooks and watchers that somebody is waited for. The answer does not wait for them. */
export function tellQuestion(loop: Loop, asked: Question): void {
  const { id, question, title, files, expires, key = `approval/${id}` } = asked;
  loop.here.asked.set(key, asked);
  const fields = {
    question,
    ...(title !== undefined && { title }),
    ...(files && { context: { files } }),
    extra: { approval: id, ...(expires !== undefined && { expires }) },
  };
  const told = fire(loop, loop.here.scene, 'approval.requested', { key: parseKey(key), fields, approval: id });
  told.catch((error: unknown) => {
    if (error instanceof SessionEnd) loop.here.ending ??= error;
    else throw error;
  });
}

export interface Answer {
  action: 'approve' | 'reject';
  message: string;
  by?: string;
}

/** Tells watchers of the answer to an agent or a script; that to a hook is in the hook's result. */
export function tellAnswer(loop: Loop, key: string, answer: Answer): void {
  const asked = loop.here.asked.get(key);
  if (!asked) return;
  loop.here.asked.delete(key);
  const { id, question, title } = asked;
  const base = { type: 'approval.answered', at: new Date().toISOString(), session: loop.paths.name } as const;
  loop.watcher.notice({ ...base, approval: id, ...(title !== undefined && { title }), question, ...answer });
}
