import { type AgentName, agentNames } from '../host.ts';
import { entryFiles } from './entries.ts';
import type { Examination } from './examine.ts';
import { findHeadless } from './programs.ts';
import { hasEntries } from './report.ts';

/** The agents that are here, or whose files hold entries of ours. */
export const presentAgents = ({ cwd, user, ownFile, launcher, http }: Examination): AgentName[] =>
  agentNames.filter(
    agent =>
      findHeadless(agent, { cwd, searchPath: user.env['PATH'] ?? '', ownFile }) !== undefined ||
      hasEntries({ files: entryFiles(agent, user, launcher, http) }),
  );
