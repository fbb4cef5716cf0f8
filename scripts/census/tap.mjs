// node tap.mjs FILE PROGRAM ARGUMENT...: stands between hookloop and an ACP agent and writes down when each message passes.
import { spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const [file, program, ...rest] = process.argv.slice(2);
const notes = openSync(file, 'a');
const agent = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] });

pass(process.stdin, agent.stdin, 'to agent', 0).on('close', () => agent.stdin.end());
// By the time a message of the agent comes, hookloop has dealt with the one before.
pass(agent.stdout, process.stdout, 'from agent', 50);
agent.on('close', code => {
  process.exitCode = code ?? 1;
});

function pass(from, to, way, pauseMs) {
  let passed = Promise.resolve();
  return createInterface({ input: from }).on('line', line => {
    passed = passed.then(async () => {
      if (pauseMs > 0) await delay(pauseMs);
      writeSync(notes, `${JSON.stringify({ at: String(process.hrtime.bigint()), way, message: JSON.parse(line) })}\n`);
      to.write(`${line}\n`);
    });
  });
}
