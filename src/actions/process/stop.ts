import { environmentOf, processIds, statOf } from '../../platform/processes.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The variable by which processes are found that left their group with setsid. */
export const markVariable = 'HOOKLOOP_MARK';

let count = 0;

export function createMark(): string {
  count += 1;
  return `${process.pid}-${Date.now()}-${count}`;
}

/** A hook of a hook carries both marks, so stopping the outer one reaches it too. */
export function markedEnv(env: Env, mark: string): Record<string, string | undefined> {
  const outer = env[markVariable];
  return { ...env, [markVariable]: outer ? `${outer}/${mark}` : mark };
}

/** The processes of one run: its group, and whatever left the group but still carries the mark. */
export interface Target {
  group?: number;
  mark: string;
}

/** A process that hangs in the kernel outlives even SIGKILL; after so many tries we no longer wait for it. */
const killRounds = 20;

/** SIGTERM, a grace period, SIGKILL, to everything of the target; resolves when nothing is left or nothing more can be done. */
export async function stopProcesses(target: Target, graceMs: number): Promise<void> {
  // A stopped process acts on SIGTERM only once it is continued.
  signalAll(target, ['SIGTERM', 'SIGCONT']);
  if (await isGoneWithin(target, graceMs)) return;
  for (let round = 0; round < killRounds; round += 1) {
    signalAll(target, ['SIGKILL']);
    if (await isGoneWithin(target, 100)) return;
  }
}

function signalAll(target: Target, signals: readonly NodeJS.Signals[]): void {
  const { inGroup, escaped } = findSurvivors(target);
  for (const signal of signals) {
    if (target.group !== undefined && inGroup > 0) send(-target.group, signal);
    for (const pid of escaped) send(pid, signal);
  }
}

/** False where it is gone, or not ours to signal. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

async function isGoneWithin(target: Target, withinMs: number): Promise<boolean> {
  let waitedMs = 0;
  for (let pauseMs = 5; waitedMs < withinMs; pauseMs = Math.min(pauseMs * 2, 100)) {
    const nextMs = Math.min(pauseMs, withinMs - waitedMs);
    await new Promise(resolve => setTimeout(resolve, nextMs));
    waitedMs += nextMs;
    const { inGroup, escaped } = findSurvivors(target);
    if (inGroup === 0 && escaped.length === 0) return true;
  }
  return false;
}

export interface Survivors {
  inGroup: number;
  escaped: readonly number[];
}

/** Who of the target still lives. Where the system does not tell who runs, those that left the group are not found. */
export function findSurvivors({ group, mark }: Target): Survivors {
  const pids = processIds();
  if (pids === undefined) return { inGroup: group !== undefined && send(-group, 0) ? 1 : 0, escaped: [] };
  let inGroup = 0;
  const escaped: number[] = [];
  for (const pid of pids) {
    const stat = pid === process.pid ? undefined : statOf(pid);
    if (stat === undefined || stat.hasEnded) continue;
    if (stat.group === group) inGroup += 1;
    else if (carriesMark(environmentOf(pid), mark)) escaped.push(pid);
  }
  return { inGroup, escaped };
}

/** Whether an environment, as NAME=VALUE, carries the mark. */
function carriesMark(env: readonly string[], mark: string): boolean {
  const start = `${markVariable}=`;
  const pair = env.find(one => one.startsWith(start));
  return pair?.slice(start.length).split('/').includes(mark) ?? false;
}
