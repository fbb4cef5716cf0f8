import { refusalForAgent, whenLost as whenHookLost } from '../app/host-replies.ts';
import type { ServedAnswer } from './served-call.ts';

/**
 * The body that an agent's http hook takes for the answer. Agents go on after anything but a 2xx reply, so what the
 * program would have said by its exit code has to be said in the body.
 */
export function nativeReply(words: readonly string[], { stdout, stderr, exitCode }: ServedAnswer): string {
  return exitCode === 0 || stdout.trim() !== '' ? stdout : refusalFor(words, stderr.trim() || `exit code ${exitCode}`);
}

/** For a call that cannot be answered: no from a gate, nothing from the rest. */
export const lostReply = (words: readonly string[], reason: string): string =>
  whenLost(words).exitCode === 2 ? refusalFor(words, reason) : '';

function refusalFor([, agent = '', event]: readonly string[], reason: string): string {
  const text = refusalForAgent({ agent, event }, reason);
  return text.trim() === '' ? `${JSON.stringify({ decision: 'block', reason })}\n` : text;
}

/** A result is 200, also one that refuses. Whatever ran no hook is an error, so that no one takes it for a yes. */
export function dispatchReply({ stdout, stderr, exitCode }: ServedAnswer): { status: number; text: string } {
  const isResult = exitCode === 0 || (exitCode === 2 && stdout !== '');
  if (isResult) return { status: 200, text: stdout };
  const error = stderr.trim() || `exit code ${exitCode}`;
  return { status: statuses[exitCode] ?? 500, text: `${JSON.stringify({ error, exitCode })}\n` };
}

/** By the exit codes of `dispatch`: not trusted, wrong usage, bad payload, broken gate. */
const statuses: Readonly<Record<number, number>> = { 2: 403, 64: 400, 65: 400, 78: 422 };

/** What a caller does on its own where an answer does not come, and how long it waits for one; 0 is without end. */
export const whenLost = ([command, agent = '', event]: readonly string[]): ReturnType<typeof whenHookLost> =>
  command === 'hook' ? whenHookLost({ agent, event }) : { exitCode: 2, limitSeconds: 0 };
