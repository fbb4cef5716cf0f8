import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { isLinux, processStartTime } from '../../platform/processes.ts';

export type ClientProcess =
  | { kind: 'client'; cwd: string; look(): ClientView }
  /** Hooks would not run here as they would run there. */
  | { kind: 'unlike'; why: string };

/** What need not be known before the client hears from us. */
export interface ClientView {
  env: Readonly<Record<string, string>>;
  isAlive(): boolean;
}

/**
 * The client's folder and environment as the kernel has them: exact, and at no cost for a client whose every
 * millisecond counts. A client that stands elsewhere in the system than we do (another user, sandbox, container, umask
 * or limits) is told to run the program itself.
 */
export function lookAtClient(pid: number, parent: number, words: readonly string[]): ClientProcess {
  if (!isLinux()) return unlike('only Linux tells enough of it');
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    if (valueIn(status, 'PPid') !== String(parent)) return unlike('it is not in the same pid namespace');
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith(`\0${words.join('\0')}\0`))
      return unlike('it is another program');
    if (rightsOf(String(pid), status) !== ownRights()) return unlike('it has other rights, limits or namespaces');
    const cwd = readlinkSync(`/proc/${pid}/cwd`);
    if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return unlike('its folder is gone');
    return { kind: 'client', cwd, look: () => viewOf(pid, cwd) };
  } catch (error) {
    return unlike((error as NodeJS.ErrnoException).code ?? 'it cannot be looked at');
  }
}

/** Contract: throws where the client disconnected. */
function viewOf(pid: number, cwd: string): ClientView {
  const startTime = processStartTime(pid);
  const env = handedOn(readFileSync(`/proc/${pid}/environ`, 'utf8'), cwd);
  return { env, isAlive: () => processStartTime(pid) === startTime };
}

const unlike = (why: string): ClientProcess => ({ kind: 'unlike', why });

const valueIn = (status: string, name: string): string | undefined =>
  new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(status)?.[1]?.trim();

const rightNames = ['Uid', 'Gid', 'Groups', 'Umask', 'CapEff', 'CapBnd', 'NoNewPrivs', 'Seccomp'];
const namespaces = ['mnt', 'net', 'pid', 'user'];

function rightsOf(pid: string, status: string): string {
  return [
    ...rightNames.map(name => valueIn(status, name) ?? ''),
    ...namespaces.map(name => readlinkSync(`/proc/${pid}/ns/${name}`)),
    readlinkSync(`/proc/${pid}/root`),
    // Node itself raises how many files it may open.
    readFileSync(`/proc/${pid}/limits`, 'latin1').replace(/^Max open files +\S+/m, ''),
  ].join('\n');
}

let own: string | undefined;

function ownRights(): string {
  own ??= rightsOf('self', readFileSync('/proc/self/status', 'latin1'));
  return own;
}

/** What the launcher, a bash script, hands on to the program that it starts in place of itself. */
function handedOn(block: string, cwd: string): Readonly<Record<string, string>> {
  // Names are anything, also those that every other object has.
  const env: Record<string, string> = Object.create(null);
  for (const pair of block.split('\0')) {
    const at = pair.indexOf('=');
    // Bash has its own use for `_`.
    if (at > 0 && !pair.startsWith('_=')) env[pair.slice(0, at)] = pair.slice(at + 1);
  }
  const level = Number.parseInt(env['SHLVL'] ?? '0', 10);
  env['SHLVL'] = String(Number.isNaN(level) ? 0 : level);
  if (env['PWD'] === undefined || !isSameFolder(env['PWD'], cwd)) env['PWD'] = cwd;
  return env;
}

function isSameFolder(path: string, cwd: string): boolean {
  if (path === cwd) return true;
  const [a, b] = [statSync(path, { throwIfNoEntry: false }), statSync(cwd)];
  return path.startsWith('/') && a?.dev === b.dev && a.ino === b.ino;
}
