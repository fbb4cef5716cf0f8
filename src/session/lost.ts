import { statSync } from 'node:fs';
import { checkSessionName } from './names.ts';
import type { SessionPaths } from './paths.ts';

/**
 * Why what stands in a session's folder is not its own journal, by the first record there is; undefined where it is, and
 * where the session has never run. Only a session that has run has left its state.
 */
export function whyLost({ name, folder, state }: SessionPaths, first: object | undefined): string | undefined {
  if (!first)
    return isThere(state)
      ? `the journal of ${name} is lost: it has run, but journal.jsonl is empty or gone; what it has made is in ${folder}`
      : undefined;
  const { session = name } = first as { session?: unknown };
  if (session === name) return undefined;
  const isName = typeof session === 'string' && checkSessionName(session).kind === 'good';
  const owner = isName ? `session ${session}` : 'another session';
  return `the journal of ${name} is lost: journal.jsonl in ${folder} is that of ${owner}; put its own back to go on`;
}

export const isThere = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
