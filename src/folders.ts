import { join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** Compiled plans and other things that can be made again. */
export const cacheFolder = (env: Env): string | undefined => userFolder(env, 'XDG_CACHE_HOME', '.cache');

/** Output of hooks and other things that are kept for a while. */
export const stateFolder = (env: Env): string | undefined => userFolder(env, 'XDG_STATE_HOME', '.local/state');

function userFolder(env: Env, variable: string, underHome: string): string | undefined {
  const named = env[variable];
  if (named?.startsWith('/')) return join(named, 'hookloop');
  const home = env['HOME'];
  return home?.startsWith('/') ? join(home, underHome, 'hookloop') : undefined;
}
