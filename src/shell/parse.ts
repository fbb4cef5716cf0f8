import { readList } from './syntax/list.ts';
import { type Command, createScan, giveUp, type Quoting, type Region, type Trouble } from './syntax/scan.ts';

export type { Assignment, Command, Quoting, Redirection, Region, Trouble, Word } from './syntax/scan.ts';

/** `commands` is complete unless there is trouble; then it holds what was found all the same. */
export interface Parsed {
  /** In the order in which they start, also those inside of subshells and substitutions. */
  commands: readonly Command[];
  /** Programs between backquotes, with their escapes removed. */
  programs: readonly string[];
  /** Stretches that the shell evaluates by rules of their own. */
  regions: readonly Region[];
  /** Where the quoting changes, in order; the text starts bare. */
  changes: readonly { at: number; quoting: Quoting }[];
  trouble?: Trouble;
  /** Where the reading stopped, if it did: commands behind it are not known. */
  stopped?: number;
}

/** Finds the commands of a shell text. Contract: never throws, takes time in proportion to the text. */
export function parseCommands(text: string): Parsed {
  const scan = createScan(text, readList);
  if (text.includes('\0')) giveUp(scan, 'it contains a NUL character', text.indexOf('\0'));
  readList(scan, '');
  const { programs, regions, changes, trouble, stopped } = scan;
  const commands = scan.commands.sort((a, b) => a.start - b.start);
  return {
    commands,
    programs,
    regions,
    changes,
    ...(trouble && { trouble }),
    ...(stopped !== undefined && { stopped }),
  };
}
