import { type AgentContext, credentialsOf, resolveAgent } from '../agents/index.ts';
import type { OpenSession } from '../loop/open.ts';
import type { AgentPort } from '../model/agent.ts';
import type { HookEvent } from '../model/index.ts';
import { pick } from './environment.ts';

/**
 * The agent a spec names. Its process, and nobody else, finds in its environment what the agent signs in with: in a
 * child's environment that is missing.
 */
export function agentWithCredentials(spec: string, context: AgentContext): AgentPort {
  const agent = resolveAgent(spec, context);
  if ('start' in agent) {
    const credentials = pick(context.env, credentialsOf(spec.trim()));
    return { ...agent, start: options => agent.start({ ...options, env: { ...credentials, ...options.env } }) };
  }
  // Checked before the session began; a resumed one may name an agent that this version no longer knows.
  const { message: reason, hint } = agent;
  return { name: spec, start: async () => ({ kind: 'unavailable', reason, ...(hint !== undefined && { hint }) }) };
}

/** The agent at work when an event happens: the session's, or that of its stage where only stages have one. */
export function agentAt({ plan, settings }: OpenSession, { stage }: HookEvent): string | undefined {
  const named = plan.stages.find(({ id }) => id === stage) ?? plan.stages[0];
  return plan.agent || settings.agent || named?.agent;
}
