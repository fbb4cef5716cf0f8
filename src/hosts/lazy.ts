import { type AgentName, agentNames } from './host.ts';

export { mayRunAll } from '../hooks/trust/may-run.ts';
export { agentNames } from './host.ts';
export { agentProcess } from './memory/agent-process.ts';
export { fileClaims } from './memory/claim-store.ts';
export { createLog } from './memory/log.ts';
export { settleRoots } from './memory/session-roots.ts';
export { respond } from './respond.ts';

/** Everything that answering an agent takes, as one bundle that only `hookloop hook` reads. */
export const agentNamed = (name: string): AgentName | undefined => agentNames.find(known => known === name);
