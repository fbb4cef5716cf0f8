import { readFileSync } from 'node:fs';
import { isOwnCommand } from '../../model/own-entry.ts';

/**
 * The process of the agent that has called us, with the time of its start, above the shells that ran our entry; empty
 * where the system does not tell. `parent`: the process that started us, or our launcher.
 */
export function agentProcess(parent: number): string {
  try {
    for (let pid = parent; pid > 0; ) {
      // The program's name in parentheses may hold anything, so fields count from the last `)`.
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (!isEntryShell(words)) return `${pid}@${fields[startField]}`;
      pid = Number(fields[parentField]);
    }
  } catch {
    // Told below.
  }
  return '';
}

/** `sh -c ENTRY` and nothing else: a shell that has an entry among other words does other things too. */
function isEntryShell(words: readonly string[]): boolean {
  const [entry = '', ...before] = words.slice(1).filter(Boolean).reverse();
  return isOwnCommand(entry) && before.length > 0 && before.every(option => /^-[a-z]+$/.test(option));
}

/** Counted from the third, which is the first behind the name. */
const parentField = 4 - 3;
const startField = 22 - 3;
