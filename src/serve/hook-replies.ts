import { agentNames, hosts } from '../hosts/index.ts';
import { isRefusedInDoubt, refusalReply } from '../hosts/reply.ts';
import { ownLimitMs } from '../hosts/respond.ts';
import type { ServedAnswer } from './ports.ts';

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

function refusalFor([, agent, native = '']: readonly string[], reason: string): string {
  const known = agentNames.find(name => name === agent);
  const stdout = known ? hosts[known].answer(native, refusalReply(reason)).stdout : '';
  return stdout.trim() === '' ? `${JSON.stringify({ decision: 'block', reason })}\n` : stdout;
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
export interface WhenLost {
  exitCode: number;
  limitSeconds: number;
}

/** A gate that cannot answer says no (2); for the rest it is an error that people see (1). */
export function whenLost([command, agent, native]: readonly string[]): WhenLost {
  const known = agentNames.find(name => name === agent);
  if (command !== 'hook' || !known || native === undefined) return { exitCode: 2, limitSeconds: 0 };
  const { events } = hosts[known];
  const event = Object.hasOwn(events, native) ? events[native] : undefined;
  if (!event) return { exitCode: 1, limitSeconds: 60 };
  // Later than we give up ourselves, and before the agent does.
  const limitMs = (ownLimitMs(event.timeoutMs) + event.timeoutMs) / 2;
  return {
    exitCode: event.blocks && isRefusedInDoubt(event.fires) ? 2 : 1,
    limitSeconds: Math.max(1, Math.floor(limitMs / 1000)),
  };
}
