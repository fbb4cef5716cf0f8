import { type Command, UsageError } from '../command.ts';
import { exit } from '../exit.ts';

export const mcp: Command = {
  name: 'mcp',
  summary: 'Offer the tools of a session to its agent, as an MCP server on stdin and stdout',
  arguments: [],
  options: {},
  example: 'HOOKLOOP_SESSION_DIR=$PWD/.hookloop/sessions/demo hookloop mcp',
  async run(_args, { env }) {
    const sessionFolder = env['HOOKLOOP_SESSION_DIR'];
    if (!sessionFolder?.startsWith('/'))
      throw new UsageError(
        'HOOKLOOP_SESSION_DIR has to name the folder of a session; hookloop run sets it when it hands this server to an agent',
      );
    const { serveMcp } = await import('../../serve/mcp/server.ts');
    await serveMcp({ sessionFolder });
    return exit.done;
  },
};
