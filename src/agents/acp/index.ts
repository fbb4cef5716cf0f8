import type { AgentPort } from '../../model/agent.ts';
import { missingProgram } from '../command-line.ts';
import { agentPort } from '../port.ts';
import type { AcpOptions } from './protocol.ts';

/** Any agent that speaks the Agent Client Protocol over stdio. */
export const createAcpAgent = (options: AcpOptions): AgentPort =>
  agentPort({
    name: options.name,
    missing: context => missingProgram('acp', options.command, context),
    // The protocol is large, and most commands start no agent.
    start: async start => (await import('./start.ts')).startAcp(options, start),
  });
