// A small MCP server: its one tool keeps a note in the file that its argument names.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file] = process.argv.slice(2);
const note = {
  name: 'note',
  description: 'Keeps a note',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'desk', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [note] }),
  'tools/call': ({ arguments: { text } }) => {
    appendFileSync(file, `${text}\n`);
    return { content: [{ type: 'text', text: `kept: ${text}` }] };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = results[method]
    ? { result: results[method](params ?? {}) }
    : { error: { code: -32_601, message: `there is no ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
