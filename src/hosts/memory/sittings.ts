import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere, replacePrivate, shortHash } from './files.ts';

/** A conversation of an agent that works for a session of ours. Calls that come over HTTP do not say so themselves. */
interface Sitting {
  conversation: string;
  session: string;
}

/** `session` is the folder of the session. Contract: throws what the file system says. */
export function keepSitting(memory: string, sitting: Sitting): void {
  replacePrivate(fileOf(memory, sitting.conversation), JSON.stringify(sitting));
}

/** Whether there has ever been one: most users have none, and then no payload has to be read for it. */
export const hasSittings = (memory: string): boolean => existsSync(join(memory, 'sittings'));

/** The folder of the session; undefined where the conversation is nobody's. */
export function sittingOf(memory: string, conversation: string): string | undefined {
  try {
    const kept = JSON.parse(readIfThere(fileOf(memory, conversation)) ?? '') as Sitting;
    return kept.conversation === conversation && typeof kept.session === 'string' ? kept.session : undefined;
  } catch {
    return undefined;
  }
}

const fileOf = (memory: string, conversation: string): string =>
  join(memory, 'sittings', `${shortHash(conversation)}.json`);
