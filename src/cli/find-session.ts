import { didYouMean } from '../config/nearest.ts';
import { dialects } from '../dialects/index.ts';
import { createLook } from '../hooks/discovery/look.ts';
import { findPlaces } from '../hooks/discovery/roots.ts';
import { checkSessionFolder } from '../session/folder.ts';
import { isOnlyFolder, listAll } from '../session/history/list.ts';
import { childNamed, listChildren } from '../session/history/sessions.ts';
import type { SessionEntry } from '../session/list.ts';
import { checkSessionName } from '../session/names.ts';
import { type SessionPaths, sessionPaths } from '../session/paths.ts';
import { UsageError, withHint } from './command.ts';
import { InputError, type Io, WorldError } from './io.ts';

export interface NamedSession {
  /** As it was typed: a child has its parents' names in front. */
  name: string;
  paths: SessionPaths;
}

/** Contract: throws WorldError where the folder of sessions cannot be looked into. */
export function sessionsHere(io: Io): SessionEntry[] {
  try {
    return listAll(rootOf(io));
  } catch (error) {
    throw new WorldError(`the sessions cannot be listed: ${(error as Error).message}`);
  }
}

/** A session by its name, or a child as `SESSION/CHILD`. Contract: throws UsageError for one that is not there. */
export function findSession(name: string, io: Io): NamedSession {
  const [first = '', ...rest] = name.split('/');
  const checked = checkSessionName(first);
  if (checked.kind === 'bad') throw new UsageError(checked.reason);
  const top = sessionPaths(rootOf(io), first);
  if (!isThere(top)) throw unknown('session', first, sessionsHere(io), 'hookloop runs lists them');
  if (rest.length === 0) refuseOnlyFolder(top);
  let [found, foundName] = [top, first];
  for (const part of rest) {
    const child = childNamed(found, part);
    if (!child || !isThere(child))
      throw unknown(`child of ${foundName}`, part, listChildren(found), `hookloop show ${foundName} lists them`);
    [found, foundName] = [child, `${foundName}/${part}`];
  }
  return { name: foundName, paths: found };
}

/** Contract: throws UsageError for the folder that what events outside of sessions start has in common. */
export function refuseOnlyFolder(paths: SessionPaths): void {
  if (isOnlyFolder(paths))
    throw new UsageError(
      `${paths.name} is no session: it holds what events outside of sessions start; hookloop runs lists it`,
    );
}

/** What stands in its place but is no session of this project is told as what it is. */
function isThere(paths: SessionPaths): boolean {
  const check = checkSessionFolder(paths);
  if ('reason' in check) throw new InputError(check.reason);
  return check.kind === 'found';
}

const rootOf = ({ cwd, env }: Io): string => findPlaces(cwd, env, dialects, createLook()).root;

const unknown = (what: string, name: string, known: readonly { name: string }[], otherwise: string): UsageError =>
  new UsageError(
    withHint(
      `there is no ${what} named ${name}`,
      didYouMean(
        name,
        known.map(one => one.name),
      ) ?? otherwise,
    ),
  );
