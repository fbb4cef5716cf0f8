// An ACP agent that starts the servers it is given and calls their tools: each line of its prompt is `TOOL {json}`.
import { writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

let servers = [];
const results = [];

async function call(name, args) {
  const [{ command, args: words, env }] = servers;
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command,
      args: words,
      env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
    }),
  );
  const { tools } = await client.listTools();
  const result = await client.callTool({ name, arguments: args });
  await client.close();
  return {
    name,
    tools: tools.map(tool => tool.name),
    isError: result.isError === true,
    text: result.content.map(({ text }) => text).join(''),
  };
}

acp
  .agent({ name: 'mcp' })
  .onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities: {} }))
  .onRequest('session/new', ({ params }) => {
    servers = params.mcpServers;
    return { sessionId: `m${process.pid}` };
  })
  .onRequest('session/prompt', async ({ params }) => {
    for (const line of params.prompt
      .map(({ text }) => text)
      .join('\n')
      .split('\n')) {
      const [, name, args] = /^(\w+) (\{.*\})$/.exec(line) ?? [];
      if (name) results.push(await call(name, JSON.parse(args)));
    }
    writeFileSync(process.env.RESULTS, JSON.stringify({ blocks: params.prompt.map(({ text }) => text), results }));
    return { stopReason: 'end_turn' };
  })
  .onNotification('session/cancel', () => {})
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
