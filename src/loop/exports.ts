import { keyOf } from '../model/step-key.ts';
import type { Loop } from './loop.ts';
import { SessionEnd } from './session-end.ts';

/** Where the journal keeps the mark of what hooks of the session's start have exported. */
export const exportsKey = keyOf('exports');

/**
 * Takes in what hooks of the start have exported, as they left it: the agent can write to the session's folder as well,
 * and what stands in that file decides which programs the gates find. Contract: throws a SessionEnd where it is another.
 */
export async function takeExports({ durable, takeEnvFile }: Loop): Promise<void> {
  if (!takeEnvFile) return;
  const known = durable.known(exportsKey) as string | undefined;
  const taken = await takeEnvFile(known);
  if ('refused' in taken) throw new SessionEnd('failed', taken.refused);
  if (taken.mark !== known) durable.remember(exportsKey, taken.mark);
}
