import {
  chooseSession,
  findSession,
  isRunning,
  lastSession,
  type NamedSession,
  type SessionChoice,
} from '../app/sessions.ts';
import { didYouMean } from '../model/nearest.ts';
import { UsageError, withHint } from './command.ts';
import { InputError, type Io } from './io.ts';

/** A session by its name, or a child as `SESSION/CHILD`. Contract: throws UsageError for one that is not there. */
export async function sessionNamed(name: string, io: Io): Promise<NamedSession> {
  const search = await findSession(name, io);
  switch (search.kind) {
    case 'found':
      return search.session;
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

/** The session that is named, else the last one. Contract: throws UsageError. */
export async function sessionOrLast(name: string | undefined, io: Io): Promise<NamedSession> {
  if (name !== undefined) return sessionNamed(name, io);
  const last = await lastSession(io);
  if (last) return last;
  throw new UsageError('no session has run here yet; hookloop run starts one');
}

/** For the folder that what events outside sessions start has in common. */
export const groupError = (name: string): UsageError =>
  new UsageError(`${name} is not a session: it holds what hooks outside sessions start; hookloop runs lists it`);

/** The session that is named, or that is meant because there is no other. Contract: throws UsageError. */
export async function sessionMeant(named: string | undefined, io: Pick<Io, 'cwd' | 'env'>): Promise<NamedSession> {
  const choice = await chooseSession(named, io);
  if (choice.kind === 'found') return choice.session;
  throw new UsageError(whyNone(choice));
}

/** The one that runs; undefined where none does. Contract: throws UsageError for a session that is named and does not run. */
export async function runningSession(named: string | undefined, io: Io): Promise<NamedSession | undefined> {
  const choice = await chooseSession(named, io);
  if (choice.kind === 'found' && isRunning(choice.session)) return choice.session;
  if (choice.kind === 'several' && choice.areRunning) throw new UsageError(whyNone(choice));
  if (named === undefined) return undefined;
  throw new UsageError(choice.kind === 'found' ? `session ${named} is not running` : whyNone(choice));
}

const shownNames = 8;

function whyNone(choice: Exclude<SessionChoice, { kind: 'found' }>): string {
  switch (choice.kind) {
    case 'no-folder':
      return `HOOKLOOP_SESSION_DIR: there is no folder ${choice.folder}`;
    case 'unknown': {
      const { name, root, known } = choice;
      return withHint(`there is no session ${name} in ${root}`, didYouMean(name, known));
    }
    case 'none':
      return `there is no session in ${choice.root}`;
    case 'several': {
      const { names, areRunning } = choice;
      const shown = [...names.slice(0, shownNames), ...(names.length > shownNames ? ['...'] : [])].join(', ');
      return `${areRunning ? 'several sessions are running' : 'there are several sessions'}: name one with --session (${shown})`;
    }
    default:
      return choice.reason;
  }
}
