import { sessionNames } from '../../app/session-names.ts';
import { exit } from '../exit.ts';
import type { Io } from '../io.ts';

/** The sessions of a project, the newest first, a line each. Journals are not read: there may be thousands. */
export async function printSessionNames(io: Io): Promise<number> {
  io.out(
    sessionNames(io.cwd)
      .map(name => `${name}\n`)
      .join(''),
  );
  return exit.done;
}
