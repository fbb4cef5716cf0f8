import { readdirSync, readFileSync } from 'node:fs';

/**
 * What only Linux tells is told here, and beside it what every system can do. `HOOKLOOP_PORTABLE`, for tests, makes Linux
 * do as the others. Asked each time: it costs less than what follows.
 */
export const isLinux = (): boolean => process.platform === 'linux' && !process.env['HOOKLOOP_PORTABLE'];

/** A folder whose files are kept in memory; undefined where there is none. */
export const memoryFolder = (): string | undefined => (isLinux() ? '/dev/shm' : undefined);

/** A process as the journal and the lock name it. A pid alone is soon someone else's. */
export interface ProcessIdentity {
  pid: number;
  startTime: string;
}

/** When a process started, as a text to compare and nothing else; undefined where it has ended, zombies too. */
export function processStartTime(pid: number): string | undefined {
  const stat = statOf(pid);
  if (stat === undefined) return hasProc() ? undefined : askPs(pid);
  // The ticks count from boot, so after a reboot the same number comes again.
  return stat.hasEnded ? undefined : `${stat.startTicks}@${bootId()}`;
}

export const isSameProcess = ({ pid, startTime }: ProcessIdentity): boolean => processStartTime(pid) === startTime;

/** This process; read once, it cannot change. */
export function ownIdentity(): ProcessIdentity {
  own ??= { pid: process.pid, startTime: processStartTime(process.pid) ?? 'unknown' };
  return own;
}

let own: ProcessIdentity | undefined;

interface ProcessStat {
  /** Also a zombie: where no one reaps it, it stays for ever. */
  hasEnded: boolean;
  parent: number;
  group: number;
  /** Of the terminal session that it belongs to. */
  session: number;
  hasTerminal: boolean;
  /** Whether it may use its terminal. */
  isForeground: boolean;
  startTicks: string;
}

/** Undefined where the process is gone, or the system does not tell. */
export function statOf(pid: number): ProcessStat | undefined {
  const text = readOf(pid, 'stat');
  if (text === undefined) return undefined;
  // The program's name in parentheses may hold anything, so fields count from the last `)`: state is the third.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session, terminal, terminalGroup] = fields;
  const startTicks = fields[22 - 3];
  if (startTicks === undefined) return undefined;
  return {
    hasEnded: state === 'Z' || state === 'X',
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    hasTerminal: terminal !== '0',
    isForeground: group === terminalGroup,
    startTicks,
  };
}

/** The words a process was started with; none where the system does not tell. */
export const wordsOf = (pid: number): string[] => listOf(pid, 'cmdline');

/** The environment a process was started with, as NAME=VALUE; none where the system does not tell. */
export const environmentOf = (pid: number): string[] => listOf(pid, 'environ');

/** All processes; undefined where the system does not tell. */
export function processIds(): number[] | undefined {
  try {
    return isLinux()
      ? readdirSync('/proc')
          .filter(name => /^\d+$/.test(name))
          .map(Number)
      : undefined;
  } catch {
    return undefined;
  }
}

const listOf = (pid: number, name: string): string[] => (readOf(pid, name) ?? '').split('\0').filter(Boolean);

const readOf = (pid: number, name: string): string | undefined =>
  isLinux() ? readText(`/proc/${pid}/${name}`) : undefined;

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

let boot: string | undefined;

function bootId(): string {
  boot ??= readText('/proc/sys/kernel/random/boot_id')?.slice(0, 8) ?? '';
  return boot;
}

const hasProc = (): boolean => readOf(process.pid, 'stat') !== undefined;

function askPs(pid: number): string | undefined {
  // Loaded here alone: an event without hooks starts nothing.
  const { execFileSync } = process.getBuiltinModule('node:child_process');
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
