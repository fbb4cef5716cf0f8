import { findSurvivors, type Target } from './survivors.ts';

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

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already gone, or not ours to signal: findSurvivors tells.
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
