import { recordOf } from './tool-call.ts';

/** What the agent has said in a turn. Messages with something between them become paragraphs. */
export interface Words {
  take(text: string, messageId: unknown): void;
  /** The message is over, whatever comes next. */
  pause(): void;
  text(): string;
}

const maxLength = 1024 * 1024;

export function createWords(): Words {
  let text = '';
  let lastId: unknown;
  let isPaused = false;
  return {
    take(chunk, messageId) {
      if (chunk === '') return;
      const isNew = text !== '' && (isPaused || messageId !== lastId);
      text += isNew ? `\n\n${chunk}` : chunk;
      if (text.length > 2 * maxLength) text = text.slice(-maxLength);
      lastId = messageId;
      isPaused = false;
    },
    pause() {
      isPaused = true;
    },
    text: () => text.slice(-maxLength).trim(),
  };
}

/** An answer as the agent gave it, for those who are told that it is none. */
export const describeAnswer = (answer: unknown): string => (JSON.stringify(answer) ?? 'nothing').slice(0, 300);

/** What went wrong in the agent's own words, with the details that the protocol's short message hides. */
export function describeError(error: unknown): string {
  const { message, data } = recordOf(error);
  const { details } = recordOf(data);
  const more = typeof data === 'string' ? data : typeof details === 'string' ? details : JSON.stringify(data ?? '');
  const text = typeof message === 'string' ? message : error instanceof Error ? error.message : String(error);
  return more === '""' || more === '{}' || text.includes(more) ? text : `${text}: ${more.slice(0, 1000)}`;
}

/** What went wrong, and how to sign in where it tells of that. */
export const withSignIn = (reason: string, signIn: string | undefined): string =>
  signIn !== undefined && /\b401\b|unauthori[sz]ed|authenticat|api.?key|credential|log ?in\b|sign.?in\b/i.test(reason)
    ? `${reason}\nTo sign in: ${signIn}`
    : reason;
