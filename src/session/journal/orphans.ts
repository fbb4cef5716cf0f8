import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process as the journal and the lock name it. A pid alone is soon somebody else's. */
export interface ProcessIdentity {
  pid: number;
  startTime: string;
}

/** When a process started, as a text to compare and nothing else; undefined where it has ended, zombies too. */
export function processStartTime(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return hasProc() ? undefined : askPs(pid);
  // The program's name in parentheses may hold anything, so fields count from the last `)`: state is the third.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[22 - 3]];
  if (ticks === undefined || state === 'Z' || state === 'X') return undefined;
  // The ticks count from boot, so after a reboot the same number comes again.
  return `${ticks}@${bootId()}`;
}

export const isSameProcess = ({ pid, startTime }: ProcessIdentity): boolean => processStartTime(pid) === startTime;

/** This process; read once, it cannot change. */
export function ownIdentity(): ProcessIdentity {
  own ??= { pid: process.pid, startTime: processStartTime(process.pid) ?? 'unknown' };
  return own;
}

let own: ProcessIdentity | undefined;
let boot: string | undefined;

function bootId(): string {
  boot ??= readText('/proc/sys/kernel/random/boot_id')?.slice(0, 8) ?? '';
  return boot;
}

const hasProc = (): boolean => readText('/proc/self/stat') !== undefined;

function askPs(pid: number): string | undefined {
  try {
    const text = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    const [state = 'Z', ...started] = text.split(/\s+/);
    return state.startsWith('Z') ? undefined : started.join(' ');
  } catch (error) {
    const psIsMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return psIsMissing && exists(pid) ? 'unknown' : undefined;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
