/** Everything that answering an agent takes, as one bundle: `hook` and `serve` load it with the first call. */
export { agentNamed, agentNames, hosts } from './index.ts';
export { respond } from './respond.ts';
export { agentProcess, fileClaims } from './sessions/claims.ts';
export { createLog, settleRoots } from './sessions/session-memory.ts';
