import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readRegularFile } from '../platform/files.ts';

/** The file to which hooks of a session's start write what they export. */
export const envFileIn = (sessionFolder: string): string => join(sessionFolder, 'env.sh');

/** By which a file of exports is known again: values in it may be secret, so the journal has no more than this. */
export function markOf(file: string): string {
  const found = readRegularFile(file, maxBytes);
  if (found.kind !== 'bytes') return found.kind;
  return createHash('sha256').update(found.bytes).digest('hex');
}

/**
 * What a file of exports adds to an environment, as a shell reads it: a hook that was trusted wrote it. Empty where there
 * is no file; says why it cannot be read.
 */
export function readEnvFile(
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<{ added: Readonly<Record<string, string>> } | { failed: string }> {
  const found = readRegularFile(file, maxBytes);
  if (found.kind === 'absent') return Promise.resolve({ added: {} });
  if (found.kind !== 'bytes') return Promise.resolve({ failed: `${file} ${found.reason}` });
  return new Promise(resolve => {
    const options = { env, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: maxBytes } as const;
    execFile('sh', ['-c', script, 'sh', file], options, (error, stdout, stderr) => {
      if (error) return resolve({ failed: stderr.trim() || error.message });
      const found = stdout.split('\0').flatMap(pair => {
        const at = pair.indexOf('=');
        return at < 1 ? [] : [[pair.slice(0, at), pair.slice(at + 1)] as const];
      });
      const added = found.filter(([name, value]) => env[name] !== value && !isOurs(name));
      resolve({ added: Object.fromEntries(added) });
    });
  });
}

/** What the file itself prints is none of its variables. */
const script = '. "$1" >&2 && exec env -0';
const timeoutMs = 10_000;
const maxBytes = 4 * 1024 * 1024;

/** What a shell sets for itself, and what says which session this is. */
const isOurs = (name: string): boolean =>
  ['_', 'SHLVL', 'PWD', 'OLDPWD'].includes(name) || name.startsWith('HOOKLOOP_');
