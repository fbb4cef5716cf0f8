import { readFileSync } from 'node:fs';
import { isSameProcess, ownIdentity, type ProcessIdentity } from './orphans.ts';

/** Who holds a session, as written down for others. */
export interface Holder extends ProcessIdentity {
  since: string;
}

export const ownHolder = (): Holder => ({ ...ownIdentity(), since: new Date().toISOString() });

/** The holder a file names, if that very process still lives. */
export function livingHolder(path: string): Holder | undefined {
  const holder = parseHolder(readFileSync(path, 'utf8'));
  return holder && isSameProcess(holder) ? holder : undefined;
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, startTime, since } = JSON.parse(text);
    return Number.isSafeInteger(pid) && typeof startTime === 'string'
      ? { pid, startTime, since: String(since) }
      : undefined;
  } catch {
    return undefined;
  }
}
