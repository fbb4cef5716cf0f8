import { findSession, type Sessions, sessionsAt } from '../app/sessions.ts';
import { didYouMean } from '../model/nearest.ts';
import { UsageError, withHint } from './command.ts';
import { InputError, type Io } from './io.ts';

/** A session as it was typed: a child has its parents' names in front. */
export type NamedSession = Sessions & { name: string };

/** A session by its name, or a child as `SESSION/CHILD`. Contract: throws UsageError for one that is not there. */
export async function sessionNamed(name: string, { cwd, env }: Io): Promise<NamedSession> {
  const sessions = sessionsAt(cwd, env);
  const search = await findSession(sessions.store, name);
  switch (search.kind) {
    case 'found':
      return { ...sessions, name };
    case 'bad-name':
      throw new UsageError(search.reason);
    case 'foreign':
      // What stands in its place but is no session of this project is told as what it is.
      throw new InputError(search.reason);
    case 'group':
      throw groupError(search.name);
    case 'unknown': {
      const { name: part, of, known } = search;
      const what = of === undefined ? 'session' : `child of ${of}`;
      const otherwise = of === undefined ? 'hookloop runs lists them' : `hookloop show ${of} lists them`;
      throw new UsageError(withHint(`there is no ${what} named ${part}`, didYouMean(part, known) ?? otherwise));
    }
  }
}

/** For the folder that what events outside of sessions start has in common. */
export const groupError = (name: string): UsageError =>
  new UsageError(`${name} is no session: it holds what events outside of sessions start; hookloop runs lists it`);
