import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type FieldRule, requestFields } from '../../model/control.ts';
import { version } from '../../platform/build.ts';
import { callTool } from './call.ts';
import { instructions, type ToolText, tools } from './tools.ts';

export interface McpOptions {
  /** Absolute. */
  sessionFolder: string;
  /** How often a client that wants to hear of progress is told that a call still runs. */
  beatMs?: number;
}

/** Offers the tools of a session on stdin and stdout until the client disconnected. */
export async function serveMcp({ sessionFolder, beatMs = 10_000 }: McpOptions): Promise<void> {
  const gone = clientGone();
  const served = serveStdio(() => {
    const server = new McpServer({ name: 'hookloop', version }, { instructions, capabilities: { tools: {} } });
    for (const tool of tools)
      server.registerTool(
        tool.name,
        {
          title: tool.title,
          description: tool.description,
          inputSchema: anything(argumentSchema(tool)),
          annotations: { readOnlyHint: tool.readOnly ?? false, destructiveHint: false, openWorldHint: false },
        },
        async (given, context) => {
          const stop = beat(context, beatMs);
          try {
            return await callTool(sessionFolder, tool, given, context.mcpReq.signal);
          } finally {
            stop();
          }
        },
      );
    return server;
  });
  await gone;
  await served.close();
}

function clientGone(): Promise<unknown> {
  return Promise.race(
    [process.stdin, process.stdout].flatMap(stream =>
      ['end', 'close', 'error'].map(name => new Promise(resolve => stream.once(name, resolve))),
    ),
  );
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

/** The arguments of a tool as JSON Schema. */
function argumentSchema({ method, arguments: docs }: ToolText): Record<string, unknown> {
  const fields: [string, FieldRule][] = Object.entries(requestFields[method]);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, rule]) => [name, { ...shapeOf(rule), description: docs[name] ?? name }]),
    ),
    required: fields.filter(([, rule]) => !rule.optional).map(([name]) => name),
    additionalProperties: false,
  };
}

function shapeOf(rule: FieldRule): Record<string, unknown> {
  if (rule.holds === 'choice') return { type: 'string', enum: rule.of };
  if (rule.holds === 'texts') return { type: 'array', items: { type: 'string' } };
  return { type: rule.holds === 'number' ? 'number' : 'string' };
}

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
