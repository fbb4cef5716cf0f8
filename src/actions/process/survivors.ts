import { readdirSync, readFileSync } from 'node:fs';
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

/** Who of the target still lives. Zombies do not count: where nobody reaps them they stay for ever. */
export function findSurvivors({ group, mark }: Target): Survivors {
  const pids = numericNames('/proc');
  if (pids.length === 0) return { inGroup: group !== undefined && groupExists(group) ? 1 : 0, escaped: [] };
  let inGroup = 0;
  const escaped: number[] = [];
  for (const pid of pids) {
    if (pid === process.pid) continue;
    const { state, groupOf } = parseStat(readText(`/proc/${pid}/stat`));
    if (state === '' || state === 'Z' || state === 'X') continue;
    if (groupOf === group) inGroup += 1;
    else if (carriesMark(readText(`/proc/${pid}/environ`), mark)) escaped.push(pid);
  }
  return { inGroup, escaped };
}

function numericNames(folder: string): number[] {
  try {
    return readdirSync(folder)
      .filter(name => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function groupExists(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

/** The program's name in parentheses may hold anything, so fields count from the last `)`. */
function parseStat(text: string): { state: string; groupOf: number } {
  const [state = '', , groupOf] = text.slice(text.lastIndexOf(')') + 2).split(' ', 3);
  return { state, groupOf: Number(groupOf) };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
