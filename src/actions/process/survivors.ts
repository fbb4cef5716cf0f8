import { environmentOf, processIds, statOf } from '../../platform/processes.ts';
import { carriesMark } from './mark.ts';

/** The processes of one run: its group, and whatever left the group but still carries the mark. */
export interface Target {
  group?: number;
  mark: string;
}

export interface Survivors {
  inGroup: number;
  escaped: readonly number[];
}

/** Who of the target still lives. Where the system does not tell who runs, those that left the group are not found. */
export function findSurvivors({ group, mark }: Target): Survivors {
  const pids = processIds();
  if (pids === undefined) return { inGroup: group !== undefined && groupExists(group) ? 1 : 0, escaped: [] };
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

function groupExists(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}
