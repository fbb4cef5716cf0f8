import { isServed } from '../session/control/address.ts';
import { UsageError } from './command.ts';
import type { Io } from './io.ts';
import { type ChosenSession, chooseSession } from './task-session.ts';

/** The session that runs and is meant; undefined where none does. Contract: throws UsageError for a session that is named and does not run. */
export async function findRunning(named: string | undefined, io: Io): Promise<ChosenSession | undefined> {
  try {
    const chosen = await chooseSession(named, io);
    if (isServed(chosen.folder)) return chosen;
    if (named !== undefined) throw new UsageError(`session ${named} does not run`);
    return undefined;
  } catch (error) {
    if (named !== undefined || !(error instanceof UsageError) || /several sessions run/.test(error.message))
      throw error;
    return undefined;
  }
}
