// An ACP agent whose one turn has 100 events a second, for as many seconds as it is told: mostly words, and tools that it does not ask about.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const seconds = Number(process.argv[2]);
const eventMs = 10;

const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = fields => send({ method: 'session/update', params: { sessionId: 's', update: fields } });

function eventOf(at) {
  const call = {
    toolCallId: `c${Math.floor(at / 10)}`,
    kind: 'read',
    title: 'Read',
    rawInput: { file_path: `src/${at}.ts` },
  };
  if (at % 10 === 8) return { sessionUpdate: 'tool_call', status: 'in_progress', ...call };
  if (at % 10 === 9) return { sessionUpdate: 'tool_call_update', status: 'completed', toolCallId: call.toolCallId };
  const text = at % 50 === 0 ? 'and that was the paragraph.\n' : 'a few words ';
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
}

/** By the clock: what a busy machine made late is sent at once. */
async function prompted() {
  const fromMs = performance.now();
  for (let at = 0; at < (seconds * 1000) / eventMs; at += 1) {
    const dueMs = fromMs + at * eventMs - performance.now();
    if (dueMs > 1) await sleep(dueMs);
    update(eventOf(at));
  }
  return { stopReason: 'end_turn' };
}

const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
  'session/new': () => ({ sessionId: 's' }),
  'session/prompt': prompted,
};

createInterface({ input: process.stdin }).on('line', async line => {
  const { id, method } = JSON.parse(line);
  if (method !== undefined && id !== undefined) send({ id, result: (await answers[method]?.()) ?? {} });
});
