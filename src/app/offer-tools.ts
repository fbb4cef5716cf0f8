import type { AgentStart } from '../model/agent.ts';

/** How an agent starts the server with a session's tools. `program` is hookloop's own file, as in `process.argv[1]`. */
export const offerTools = (sessionFolder: string, program: string): AgentStart['mcpServers'][number] => ({
  name: 'hookloop',
  command: process.execPath,
  args: [program, 'mcp'],
  env: { HOOKLOOP_SESSION_DIR: sessionFolder },
});
