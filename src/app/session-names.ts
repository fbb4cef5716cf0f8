import { findPlaces } from '../hooks/discovery/load.ts';
import { sessionNamesIn } from '../session/file-store/list-sessions.ts';
import type { Where } from './context.ts';

/** The names of a project's sessions. Nothing but their folder is looked at: there may be thousands, and a shell waits. */
export const sessionNames = ({ cwd, env }: Where): string[] => sessionNamesIn(findPlaces(cwd, env).root);
