import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile, writeOnce } from '../platform/files.ts';
import { stateFolder } from '../platform/folders.ts';
import type { SessionFiles } from '../session/paths.ts';
import type { Env } from './context.ts';

/**
 * The word by which a session's journal shows that this user began it, and in this place. A journal says which agent and
 * which hooks run when it is resumed, and its folder may come with a project: only what this user began goes on without a
 * question. undefined where there is no state folder to keep the key in.
 */
export function originOf(env: Env, paths: SessionFiles): string | undefined {
  const key = keyIn(env);
  return key && createHmac('sha256', key).update(placeOf(paths)).digest('hex');
}

/** A copy of a session's folder is another session. */
export function isOwnOrigin(env: Env, paths: SessionFiles, origin: unknown): boolean {
  const own = originOf(env, paths);
  if (own === undefined || typeof origin !== 'string' || origin.length !== own.length) return false;
  return timingSafeEqual(Buffer.from(own), Buffer.from(origin));
}

const keyBytes = 32;

/** Made once for each user, and never seen outside the state folder. */
function keyIn(env: Env): Buffer | undefined {
  const folder = stateFolder(env);
  if (folder === undefined) return undefined;
  const file = join(folder, 'origin.key');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Whole before it has its name: another session may be started at the same moment.
    if (!existsSync(file)) writeOnce(file, randomBytes(keyBytes).toString('hex'));
  } catch {
    // Nothing can be kept here.
  }
  const found = readRegularFile(file, 2 * keyBytes);
  return found.kind === 'bytes' && found.bytes.length === 2 * keyBytes ? found.bytes : undefined;
}

/** The root exists before any session in it does. */
const placeOf = ({ inside: { trusted, parts } }: SessionFiles): string => join(realpathSync(trusted), ...parts);
