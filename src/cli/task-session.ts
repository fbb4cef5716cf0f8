import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import { type Sessions, sessionIn, sessionsAt } from '../app/sessions.ts';
import { didYouMean } from '../model/nearest.ts';
import { isServed } from '../session/control/address.ts';
import { checkSessionName } from '../session/paths.ts';
import type { StoredSession } from '../session/store.ts';
import { UsageError, withHint } from './command.ts';
import type { Io } from './io.ts';

export interface ChosenSession extends Pick<Sessions, 'store'> {
  name: string;
  folder: string;
}

/** The session that is named, or that is meant because there is no other. Contract: throws UsageError. */
export async function chooseSession(
  named: string | undefined,
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
): Promise<ChosenSession> {
  const ownFolder = env['HOOKLOOP_SESSION_DIR'];
  const name = named ?? (env['HOOKLOOP_SESSION'] || undefined);
  // The agent's own session, which may be a child of one and then is in no list.
  if (named === undefined && ownFolder?.startsWith('/') && (name === undefined || name === basename(ownFolder)))
    return inFolder(ownFolder, env);
  const sessions = sessionsAt(cwd, env);
  return name === undefined ? onlyOne(sessions) : byName(sessions, name);
}

function inFolder(folder: string, env: Io['env']): ChosenSession {
  const found = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? sessionIn(folder, env) : undefined;
  if (!found) throw new UsageError(`HOOKLOOP_SESSION_DIR: there is no folder ${folder}`);
  return { store: found.store, name: found.name, folder };
}

async function byName({ root, store }: Sessions, name: string): Promise<ChosenSession> {
  const checked = checkSessionName(name);
  if (checked.kind === 'bad') throw new UsageError(checked.reason);
  const found = await store.find(name);
  if (found.kind === 'found') return chosen(store, found);
  if (found.kind === 'foreign') throw new UsageError(found.reason);
  const names = (await store.list()).map(session => session.name);
  throw new UsageError(withHint(`there is no session ${name} in ${root}`, didYouMean(name, names)));
}

async function onlyOne({ root, store }: Sessions): Promise<ChosenSession> {
  const sessions = (await store.list()).filter(({ name, changedMs }) => changedMs !== null && !name.includes('/'));
  const running = sessions.filter(({ files }) => isServed(files.folder));
  const candidates = running.length > 0 ? running : sessions;
  const [only, another] = candidates;
  if (!only) throw new UsageError(`there is no session in ${root}`);
  if (another)
    throw new UsageError(
      `${running.length > 0 ? 'several sessions run' : 'there are several sessions'}: name one with --session (${namesOf(candidates)})`,
    );
  return chosen(store, only);
}

const chosen = (store: Sessions['store'], { name, files }: StoredSession): ChosenSession => ({
  store,
  name,
  folder: files.folder,
});

const shownNames = 8;

function namesOf(sessions: readonly StoredSession[]): string {
  const names = sessions.slice(0, shownNames).map(({ name }) => name);
  return [...names, ...(sessions.length > shownNames ? ['...'] : [])].join(', ');
}
