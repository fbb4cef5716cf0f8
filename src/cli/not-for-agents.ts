import { UsageError } from './command.ts';
import type { Io } from './io.ts';

/**
 * What only a person may do is not done for the agent, or a hook, of a session. Whoever has the user's rights can get
 * around it, but not by accident and not because a model had a good idea.
 */
export function refuseAgents(what: string, { env }: Io): void {
  if (env['HOOKLOOP_SESSION_DIR'])
    throw new UsageError(
      `${what} is for people: this runs inside of session ${env['HOOKLOOP_SESSION'] ?? ''}. Use another terminal`,
    );
}
