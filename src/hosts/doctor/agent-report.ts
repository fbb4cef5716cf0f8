import type { InstallScope } from '../host.ts';
import type { AgentName } from '../index.ts';

/** Something that is wrong or worth knowing, and what to do about it. */
export interface Finding {
  severity: 'error' | 'warning' | 'note';
  message: string;
  fix?: string;
}

export const finding = (severity: Finding['severity'], message: string, fix?: string): Finding => ({
  ...{ severity, message },
  ...(fix !== undefined && { fix }),
});

/** What an agent says about the hooks of this project. `changed`: trusted before, in another wording. */
export type Trust = 'trusted' | 'untrusted' | 'changed' | 'unneeded' | 'unknown';

/** A file that an agent reads its hooks from. */
export interface EntryFile {
  file: string;
  /** Several where the agent has one file for them. */
  scopes: readonly InstallScope[];
  /** `old`: entries of ours, but not those that `install` would write now. */
  state: 'current' | 'old' | 'none' | 'unreadable';
  why?: string;
  /** Calls around tools go to serve. */
  http?: true;
}

/** What was found out about one agent. Null: it could not be found out, and a finding says why. */
export interface AgentReport {
  agent: AgentName;
  program: string | null;
  version: string | null;
  files: readonly EntryFile[];
  fires: boolean | null;
  blocks: boolean | null;
  trust: Trust;
  latencyMs: number | null;
  findings: readonly Finding[];
}

export const hasEntries = ({ files }: Pick<AgentReport, 'files'>): boolean => files.some(isOurs);

export const isOurs = ({ state }: EntryFile): boolean => state === 'current' || state === 'old';
