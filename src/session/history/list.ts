import { lstatSync } from 'node:fs';
import { checkSessionFolder } from '../folder.ts';
import { listSessions, type SessionEntry } from '../list.ts';
import { checkSessionName, sessionWithoutName } from '../names.ts';
import { type SessionPaths, sessionPaths } from '../paths.ts';
import { childNamed, listChildren } from './sessions.ts';

/**
 * Every session of a project, the one that changed last first. What events outside of sessions have started stands among
 * them: it has a folder in common, which is none itself. Contract: throws the system's error.
 */
export const listAll = (root: string): SessionEntry[] =>
  listSessions(root)
    .flatMap(entry => (isOnlyFolder(entry.paths) ? startedOutside(entry.paths) : [entry]))
    .sort((a, b) => (b.changedMs ?? 0) - (a.changedMs ?? 0));

/** A session, or a child as `SESSION/CHILD`; undefined where there is none. */
export function sessionNamed(root: string, name: string): SessionPaths | undefined {
  const [first = '', ...rest] = name.split('/');
  if (checkSessionName(first).kind === 'bad') return undefined;
  let found: SessionPaths | undefined = sessionPaths(root, first);
  for (const part of rest) found = found && childNamed(found, part);
  return found && checkSessionFolder(found).kind === 'found' && !isOnlyFolder(found) ? found : undefined;
}

/** The folder that what events outside of sessions start has in common. */
export const isOnlyFolder = ({ name, journal }: SessionPaths): boolean =>
  name === sessionWithoutName && !lstatSync(journal, { throwIfNoEntry: false })?.size;

const startedOutside = (paths: SessionPaths): SessionEntry[] =>
  listChildren(paths).map(child => ({
    name: `${paths.name}/${child.name}`,
    paths: child,
    changedMs: lstatSync(child.journal, { throwIfNoEntry: false })?.mtimeMs ?? null,
  }));
