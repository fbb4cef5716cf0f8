import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import { didYouMean } from '../config/nearest.ts';
import { dialects } from '../dialects/index.ts';
import { createLook } from '../hooks/discovery/look.ts';
import { findPlaces } from '../hooks/discovery/roots.ts';
import { isServed } from '../session/control/address.ts';
import { checkSessionFolder } from '../session/folder.ts';
import { listSessions, type SessionEntry } from '../session/list.ts';
import { checkSessionName } from '../session/names.ts';
import { sessionPaths } from '../session/paths.ts';
import { UsageError, withHint } from './command.ts';
import type { Io } from './io.ts';

export interface ChosenSession {
  name: string;
  folder: string;
}

/** The session that is named, or that is meant because there is no other. Contract: throws UsageError. */
export function chooseSession(named: string | undefined, { cwd, env }: Pick<Io, 'cwd' | 'env'>): ChosenSession {
  const ownFolder = env['HOOKLOOP_SESSION_DIR'];
  const name = named ?? (env['HOOKLOOP_SESSION'] || undefined);
  // The agent's own session, which may be a child of one and then is in no list.
  if (named === undefined && ownFolder?.startsWith('/') && (name === undefined || name === basename(ownFolder)))
    return inFolder(ownFolder);
  const { root } = findPlaces(cwd, env, dialects, createLook());
  return name === undefined ? onlyOne(root) : byName(root, name);
}

function inFolder(folder: string): ChosenSession {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`HOOKLOOP_SESSION_DIR: there is no folder ${folder}`);
  return { name: basename(folder), folder };
}

function byName(root: string, name: string): ChosenSession {
  const checked = checkSessionName(name);
  if (checked.kind === 'bad') throw new UsageError(checked.reason);
  const paths = sessionPaths(root, name);
  const found = checkSessionFolder(paths);
  if (found.kind === 'found') return paths;
  if (found.kind !== 'absent') throw new UsageError(found.reason);
  const names = listSessions(root).map(session => session.name);
  throw new UsageError(withHint(`there is no session ${name} in ${root}`, didYouMean(name, names)));
}

function onlyOne(root: string): ChosenSession {
  const sessions = listSessions(root).filter(({ changedMs }) => changedMs !== null);
  const running = sessions.filter(({ paths }) => isServed(paths.folder));
  const candidates = running.length > 0 ? running : sessions;
  const [only, another] = candidates;
  if (!only) throw new UsageError(`there is no session in ${root}`);
  if (another)
    throw new UsageError(
      `${running.length > 0 ? 'several sessions run' : 'there are several sessions'}: name one with --session (${namesOf(candidates)})`,
    );
  return only.paths;
}

const shownNames = 8;

function namesOf(sessions: readonly SessionEntry[]): string {
  const names = sessions.slice(0, shownNames).map(({ name }) => name);
  return [...names, ...(sessions.length > shownNames ? ['...'] : [])].join(', ');
}
