import { agentNames, hosts } from '../../hosts/index.ts';
import { refusalReply } from '../../hosts/reply.ts';
import type { ServedAnswer } from '../ports.ts';
import { whenLost } from '../when-lost.ts';

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
