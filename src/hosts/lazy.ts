/** Everything that answering an agent takes, as one bundle that only `hookloop hook` reads. */
export { agentNamed, agentNames } from './index.ts';
export { respond } from './respond.ts';
export { agentProcess, fileClaims } from './sessions/claims.ts';
export { createLog, settleRoots } from './sessions/session-memory.ts';
