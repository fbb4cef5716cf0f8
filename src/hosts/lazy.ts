/** Everything that answering an agent takes, as one bundle that only `hookloop hook` reads. */
export { agentNamed, agentNames } from './index.ts';
export { agentProcess } from './memory/agent-process.ts';
export { fileClaims } from './memory/claim-store.ts';
export { createLog } from './memory/log.ts';
export { settleRoots } from './memory/session-roots.ts';
export { respond } from './respond.ts';
