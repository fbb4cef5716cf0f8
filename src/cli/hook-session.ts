import { isServed } from '../control/address.ts';
import { askSession } from '../control/ask.ts';
import type { Answer } from '../hosts/host.ts';

/** The answer of the session that the agent works for; undefined where there is none, or it has ended. */
export async function answerOfSession(
  env: Readonly<Record<string, string | undefined>>,
  call: { agent: string; event: string | undefined; input: string },
): Promise<Answer | undefined> {
  const folder = env['HOOKLOOP_SESSION_DIR'];
  if (!folder?.startsWith('/') || !isServed(folder)) return undefined;
  const { agent, event, input } = call;
  const reply = await askSession(folder, { method: 'host', agent, input, ...(event !== undefined && { event }) });
  return reply.kind === 'ok' && isAnswer(reply.value) ? reply.value : undefined;
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === 'object' && value !== null && 'exitCode' in value && 'stdout' in value && 'stderr' in value;
