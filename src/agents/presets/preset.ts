import type { AcpOptions } from '../acp/protocol.ts';
import type { LimitSign } from '../limits/limit.ts';

/** How to run a known agent over ACP. */
export interface Preset extends Pick<AcpOptions, 'env' | 'writesItself' | 'mcpAsExecute'> {
  /** The program, and the package that brings it in the version this was tried with. */
  program: string;
  package: string;
  args: readonly string[];
  /** Further arguments where this variable is set. */
  argsWith?: Readonly<Record<string, readonly string[]>>;
  /** What it does over ACP without asking, and without a hook of its own: a refusal comes after that. */
  unasked?: string;
  /** How it says that it may not go on for now; the first that fits counts. */
  limits: readonly LimitSign[];
  /** What it tells of its use; a limit on anything else would never be reached. */
  reports: readonly Reported[];
  signIn: string;
  /** What it signs in with; handed to the agent's process alone. */
  credentials: readonly string[];
}

/** `cost`: of the conversation so far. `tokens`: of each turn. `context`: how full the model's context is. */
export type Reported = 'cost' | 'tokens' | 'context';
