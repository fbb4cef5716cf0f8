import type { NoCheckpoint } from '../app/checkpoints.ts';
import { printable } from '../model/index.ts';
import { type CommandIo, UsageError } from './command.ts';
import { exit } from './exit.ts';
import { noCheckpointText } from './print/checkpoints.ts';

/** The number of a checkpoint as it is written: 3 or 003. Contract: throws UsageError. */
export function checkpointArgument(written: string | undefined, name: string): number | undefined {
  if (written === undefined) return undefined;
  if (/^\d{1,9}$/.test(written)) return Number(written);
  throw new UsageError(`${name} ${written}: write the number of a checkpoint, as hookloop show lists them`);
}

/** Says why there is nothing to look at or to go back to. Contract: throws UsageError for a number that no checkpoint has. */
export function tellNoCheckpoint(command: string, session: string, none: NoCheckpoint, io: CommandIo): number {
  const text = noCheckpointText(session, none);
  if (none.kind === 'unknown') throw new UsageError(text);
  io.err(printable(io.mask(`hookloop ${command}: ${text}\n`)));
  return exit.failed;
}
