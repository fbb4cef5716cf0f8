import { realpathSync } from 'node:fs';
import type { Answer, Payload } from '../hosts/host.ts';
import { type AgentName, hosts } from '../hosts/index.ts';
import { foldersOf, parsePayload } from '../hosts/native-events.ts';
import { hasConversations, sessionOfConversation } from '../hosts/sessions/session-memory.ts';
import { isServed } from '../session/control/address.ts';
import { askSession } from '../session/control/ask-session.ts';
import { rootAbove, sessionsFolder } from '../session/paths.ts';
import type { Where } from './context.ts';

/** The answer of the session that the agent works for; undefined where there is none, or it has ended. */
export async function answerInSession(
  { env, cwd }: Where,
  memory: string | undefined,
  call: { agent: AgentName; event: string | undefined; input: string },
): Promise<Answer | undefined> {
  const folder = env['HOOKLOOP_SESSION_DIR'] || sessionOf(memory, call.input, cwd);
  if (!folder?.startsWith('/') || !isServed(folder)) return undefined;
  const { agent, event, input } = call;
  const payload = payloadOf(input);
  const asked = foldersOf(hosts[agent], payload, payload['cwd'], { env, cwd });
  const root = rootAbove(folder);
  // A session of another project has no say about this one's tools.
  if (root === undefined || !asked.some(place => isInside(place, root))) return undefined;
  const reply = await askSession(folder, { method: 'host', agent, input, ...(event !== undefined && { event }) });
  return reply.kind === 'ok' && isAnswer(reply.value) ? reply.value : undefined;
}

function isInside(folder: string, root: string): boolean {
  try {
    return `${realpathSync(folder)}/`.startsWith(`${realpathSync(root)}/`);
  } catch {
    return false;
  }
}

/** For calls over HTTP, which bring no environment along. */
function sessionOf(memory: string | undefined, input: string, cwd: string): string | undefined {
  const conversation = memory !== undefined && hasConversations(memory) ? conversationIn(input) : undefined;
  const session = conversation === undefined ? undefined : sessionOfConversation(memory!, conversation);
  return session?.startsWith(`${sessionsFolder(cwd)}/`) ? session : undefined;
}

/** The agent's own name for its session. */
export function conversationIn(input: string): string | undefined {
  const id = payloadOf(input)['session_id'];
  return typeof id === 'string' ? id : undefined;
}

function payloadOf(input: string): Payload {
  const payload = parsePayload(input);
  return payload.kind === 'payload' ? payload.fields : {};
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === 'object' && value !== null && 'exitCode' in value && 'stdout' in value && 'stderr' in value;
