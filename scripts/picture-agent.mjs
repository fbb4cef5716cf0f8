// The agent in the picture of a session: speaks ACP on stdin and stdout and follows a script, word by word as a model would.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const session = 'picture';
const wordMs = 55;
const waiting = new Map();
let [requests, calls, turns] = [0, 0, 0];

const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = fields => send({ method: 'session/update', params: { sessionId: session, update: fields } });

async function say(text) {
  for (const word of text.split(/(?<= )/)) {
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: word } });
    await sleep(wordMs);
  }
}

/** Asks, and acts if it may. */
async function use(kind, title, rawInput, act, content = []) {
  calls += 1;
  const call = { toolCallId: `call-${calls}`, kind, title, rawInput, content };
  update({ sessionUpdate: 'tool_call', status: 'pending', ...call });
  const asked = { sessionId: session, toolCall: call, options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] };
  const { outcome } = await request('session/request_permission', asked);
  const end = status => update({ sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, status });
  if (outcome.optionId !== 'yes') return end('failed');
  end('in_progress');
  await sleep(500);
  act();
  return end('completed');
}

function edit(path, from, to) {
  const oldText = readFileSync(path, 'utf8');
  const newText = oldText.replace(from, to);
  const input = { file_path: path, old_string: from, new_string: to };
  return use('edit', `Edit ${path}`, input, () => writeFileSync(path, newText), [
    { type: 'diff', path: resolve(path), oldText, newText },
  ]);
}

const turnsBy = [
  [
    'refused this task',
    async () => {
      await say('The rounding is wrong: 19 % of 10.50 is 2.00, not 1.99. I round it up.');
      await edit('src/price.js', 'Math.floor', 'Math.round');
    },
  ],
  [
    'Show the price',
    async () => {
      await say('I add the tax in src/price.js, and the page takes it from there.');
      await edit('src/price.js', 'cents;', 'cents + Math.floor(cents * 0.19);');
      await edit('tasks.md', '[ ] Show', '[x] Show');
    },
  ],
  [
    'Publish',
    async () => {
      await say('All is green. I push it.');
      await use('execute', 'git push', { command: 'git push origin main' }, () => {});
      await say('That is for CI to do. The commit is ready.');
      await edit('tasks.md', '[ ] Publish', '[x] Publish');
    },
  ],
];

function request(method, params) {
  requests += 1;
  send({ id: requests, method, params });
  return new Promise(resolve => waiting.set(requests, resolve));
}

async function prompted({ prompt }) {
  const text = prompt.map(part => part.text ?? '').join('\n');
  await sleep(700);
  await turnsBy.find(([words]) => text.includes(words))[1]();
  turns += 1;
  const cost = { amount: 0.031 * turns, currency: 'USD' };
  update({ sessionUpdate: 'usage_update', used: 11_000 + 5200 * turns, size: 200_000, cost });
  return {
    stopReason: 'end_turn',
    usage: { inputTokens: 9400 * turns, outputTokens: 610 * turns, totalTokens: 10_010 * turns },
  };
}

const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
  'session/new': () => ({ sessionId: session }),
  'session/prompt': prompted,
};

createInterface({ input: process.stdin }).on('line', async line => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(result);
  else if (id !== undefined) send({ id, result: (await answers[method]?.(params)) ?? {} });
});
