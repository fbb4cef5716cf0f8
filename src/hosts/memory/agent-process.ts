import { isOwnCommand } from '../../model/own-entry.ts';
import { statOf, wordsOf } from '../../platform/processes.ts';

/**
 * The process of the agent that has called us, with the time of its start, above the shells that ran our entry; empty
 * where the system does not tell. `parent`: the process that started us, or our launcher.
 */
export function agentProcess(parent: number): string {
  for (let pid = parent; pid > 0; ) {
    const stat = statOf(pid);
    if (stat === undefined) return '';
    if (!isEntryShell(wordsOf(pid))) return `${pid}@${stat.startTicks}`;
    pid = stat.parent;
  }
  return '';
}

/** `sh -c ENTRY` and nothing else: a shell that has an entry among other words does other things too. */
function isEntryShell(words: readonly string[]): boolean {
  const [entry = '', ...before] = words.slice(1).reverse();
  return isOwnCommand(entry) && before.length > 0 && before.every(option => /^-[a-z]+$/.test(option));
}
