import { markedEnv } from '../actions/process/mark.ts';
import type { SessionPaths } from '../session/paths.ts';

/** What agents and hooks of a session find in their environment beside the user's own. */
export function sessionEnv(
  env: Readonly<Record<string, string | undefined>>,
  paths: SessionPaths,
  mark: string,
): Readonly<Record<string, string>> {
  const own = { HOOKLOOP_SESSION: paths.name, HOOKLOOP_SESSION_DIR: paths.folder };
  const all = Object.entries({ ...markedEnv(env, mark), ...own });
  return Object.fromEntries(all.filter((pair): pair is [string, string] => pair[1] !== undefined));
}
