// The agent of bench/people.mjs: argv is the program, how many scores it records and how many hooks it times.
// Every score is a webhook. A shell hook is timed before, while all of them are open, and after.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const [program, scores, hooks] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const server = spawn(process.execPath, [program, 'mcp'], { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
createInterface({ input: server.stdout }).on('line', line => {
  const { id, result, error } = JSON.parse(line);
  waiting.get(id)?.(error ?? result);
});
let count = 0;

await ask('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
});
send({ method: 'notifications/initialized' });
const tasks = [];
for (let at = 0; at < 3 * hooks + 3; at += 1)
  tasks.push(/\bT\d+/.exec(await call('task_add', { content: `task ${at}` }))[0]);
await timed(3);
const before = await timed(hooks);
const recorded = inTurn(scores, at => call('record_score', { score: at }));
await fileIs('loaded');
const during = await timed(hooks);
writeFileSync('measured', '');
await fileIs('released');
await recorded;
const after = await timed(hooks);
writeFileSync('times.json', JSON.stringify({ before, during, after }));
server.stdin.end();

/** How long it takes to start a task, which a shell hook stands before. */
async function timed(many) {
  const times = [];
  for (let at = 0; at < many; at += 1) {
    const from = performance.now();
    await call('task_start', { id: tasks.pop() });
    times.push(performance.now() - from);
  }
  return times;
}

/** A session takes no more than 256 requests at a time. */
async function inTurn(many, work) {
  let next = 0;
  const worker = async () => {
    while (next < many) {
      next += 1;
      await work(next);
    }
  };
  await Promise.all(Array.from({ length: Math.min(many, 220) }, worker));
}

async function fileIs(name) {
  while (!existsSync(name)) await sleep(5);
}

async function call(name, args) {
  const { content, isError, message } = await ask('tools/call', { name, arguments: args });
  if (isError || !content) throw new Error(`${name}: ${message ?? JSON.stringify(content)}`);
  return content[0].text;
}

function ask(method, params) {
  count += 1;
  const id = count;
  send({ id, method, params });
  return new Promise(resolve => waiting.set(id, resolve)).finally(() => waiting.delete(id));
}

function send(message) {
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
