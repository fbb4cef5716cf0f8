import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeProject } from './projects.mjs';

/** Peak memory in MB of the whole program while a hook prints 1 GB; undefined where the system has no /proc. */
export async function measureMemory({ folder, program }) {
  const command = "head -c 1000000000 /dev/zero | tr '\\\\0' x";
  const { project, home } = writeProject(folder, {
    '.iteratr.hooks.yml': `hooks:\n  pre_iteration:\n    - { command: "${command}", timeout: 300 }\n`,
  });
  const child = spawn(process.execPath, [program, 'dispatch', 'pre_iteration'], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let [printed, ended, peakKb] = ['', false, 0];
  child.stdout.on('data', chunk => {
    printed += chunk;
  });
  child.once('close', () => {
    ended = true;
  });
  while (!ended) {
    peakKb = Math.max(peakKb, peakOf(child.pid));
    await sleep(5);
  }
  const { outcome } = JSON.parse(printed).results[0];
  if (outcome.truncated?.stdoutBytes !== 1_000_000_000) throw new Error(`the hook did not print 1 GB: ${outcome.kind}`);
  return peakKb === 0 ? undefined : (peakKb * 1024) / 1e6;
}

/** The kernel keeps the highest value itself, so looking now and then is enough. */
export function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
