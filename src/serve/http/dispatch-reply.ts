import type { ServedAnswer } from '../ports.ts';

/** A result is 200, also one that refuses. Whatever ran no hook is an error, so that nobody takes it for a yes. */
export function dispatchReply({ stdout, stderr, exitCode }: ServedAnswer): { status: number; body: string } {
  const isResult = exitCode === 0 || (exitCode === 2 && stdout !== '');
  if (isResult) return { status: 200, body: stdout };
  const error = stderr.trim() || `exit code ${exitCode}`;
  return { status: statuses[exitCode] ?? 500, body: `${JSON.stringify({ error, exitCode })}\n` };
}

/** By the exit codes of `dispatch`: not trusted, wrong usage, bad payload, broken gate. */
const statuses: Readonly<Record<number, number>> = { 2: 403, 64: 400, 65: 400, 78: 422 };
