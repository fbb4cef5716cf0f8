/** The only door to the protocol's SDK. */
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

export interface ServedTool {
  name: string;
  title: string;
  description: string;
  /** JSON Schema. */
  schema: Record<string, unknown>;
  readOnly: boolean;
  call(
    given: unknown,
    signal: AbortSignal,
  ): Promise<{ isError: boolean; text: string; data?: Record<string, unknown> }>;
}

export interface StdioOptions {
  version: string;
  instructions: string;
  tools: readonly ServedTool[];
  /** How often a client that wants to hear of progress is told that a call still runs. */
  beatMs: number;
}

/** Speaks the protocol on stdin and stdout. */
export function speakStdio({ version, instructions, tools, beatMs }: StdioOptions): { close(): Promise<void> } {
  return serveStdio(() => {
    const server = new McpServer({ name: 'hookloop', version }, { instructions, capabilities: { tools: {} } });
    for (const tool of tools)
      server.registerTool(
        tool.name,
        {
          title: tool.title,
          description: tool.description,
          inputSchema: anything(tool.schema),
          annotations: { readOnlyHint: tool.readOnly, destructiveHint: false, openWorldHint: false },
        },
        async (given, context) => {
          const stop = beat(context, beatMs);
          try {
            const { isError, text, data } = await tool.call(given, context.mcpReq.signal);
            return { isError, content: [{ type: 'text', text }], ...(data && { structuredContent: data }) };
          } finally {
            stop();
          }
        },
      );
    return server;
  });
}

/** The tool checks its arguments itself and says in its own words what is wrong. */
const anything = (schema: Record<string, unknown>) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'hookloop',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => schema, output: () => schema },
  },
});

/** Clients give up on a call after a minute or so, unless they hear of it: checks and people take longer. */
function beat({ mcpReq }: ServerContext, everyMs: number): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress, message: 'still waiting' } })
      .catch(() => clearInterval(timer));
  }, everyMs);
  return () => clearInterval(timer);
}
