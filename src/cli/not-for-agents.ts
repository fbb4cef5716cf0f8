import { UsageError } from './command.ts';
import type { Io } from './io.ts';

/**
 * What only a person may do is not done for the agent, or a hook, of a session. Whoever has the user's rights can get
 * around it, but not by accident and not because a model had a good idea.
 */
export function refuseAgents(what: string, io: Io): void {
  if (isOfAgent(io))
    throw new UsageError(
      `${what} is for people: this runs inside of session ${io.env['HOOKLOOP_SESSION'] ?? ''}. Use another terminal`,
    );
}

export const isOfAgent = ({ env }: Io): boolean => Boolean(env['HOOKLOOP_SESSION_DIR']);
