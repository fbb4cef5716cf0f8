import { sessionNamesIn } from '../session/file-store/list-sessions.ts';
import type { Where } from './context.ts';

/** The names of a project's sessions. Nothing but their folder is looked at: there may be thousands, and a shell waits. */
export async function sessionNames({ cwd, env }: Where): Promise<string[]> {
  const { findPlaces } = await import('../hooks/plan/compile.ts');
  return sessionNamesIn(findPlaces(cwd, env).root);
}
