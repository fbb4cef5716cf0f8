import { fire } from './fire.ts';
import type { Loop } from './loop.ts';
import { SessionEnd } from './session-end.ts';

/** A question to a person that can be answered from now on. */
export interface Question {
  id: string;
  question: string;
  title?: string;
  /** Of the work that waits for the answer. */
  key?: string;
  /** ISO time. */
  expires?: string;
}

/** Tells hooks and watchers that somebody is waited for. The answer does not wait for them. */
export function tellQuestion(loop: Loop, { id, question, title, expires, key = `approval/${id}` }: Question): void {
  const fields = {
    question,
    ...(title !== undefined && { title }),
    extra: { approval: id, ...(expires !== undefined && { expires }) },
  };
  const told = fire(loop, loop.here.scene, 'approval.requested', { key, fields, approval: id });
  told.catch((error: unknown) => {
    if (error instanceof SessionEnd) loop.here.ending ??= error;
    else throw error;
  });
}
