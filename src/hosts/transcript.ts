import type { Fields } from '../model/json.ts';
import type { AgentFolders, Payload } from './host.ts';

/**
 * How an agent writes down its own conversations, one JSON object a line. Contract: pure, never throws; what it does not
 * know says nothing.
 */
export interface TranscriptFormat {
  /** The host whose payloads its calls become. */
  agent: string;
  /** Where the user's transcripts are, at any depth. */
  folder(folders: Pick<AgentFolders, 'home' | 'env'>): string;
  /** A line that tells something of a call holds one of these; all others need not be parsed. */
  marks: readonly string[];
  /** What reads the lines of one file, in order: the tool calls of each, as the agent's own hooks would have told them. */
  open(): (line: Fields) => readonly WrittenCall[];
}

export interface WrittenCall {
  /** The agent's own event before a call. */
  native: string;
  payload: Payload;
}
