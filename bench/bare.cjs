// What a program must do at least to run hooks: usage: node bench/bare.cjs COUNT in-turn|at-once FILE [ARG ...]
// Reads an event from stdin, starts the program COUNT times in a process group of its own each, with that JSON on stdin,
// reads both outputs to their end, and prints as JSON how each has ended. All by the cheapest public way there is.
const { spawn } = require('node:child_process');
const { readFileSync, writeSync } = require('node:fs');

const [count, order, file, ...args] = process.argv.slice(2);
const event = JSON.parse(readFileSync(0, 'utf8'));
const payload = `${JSON.stringify(event)}\n`;

const run = () =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { detached: true });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', chunk => {
      output.stdout += chunk;
    });
    child.stderr.on('data', chunk => {
      output.stderr += chunk;
    });
    child.stdin.on('error', () => {});
    child.stdin.end(payload);
    child.on('error', reject).on('close', (exitCode, signal) => resolve({ exitCode, signal, ...output }));
  });

async function main() {
  const all = Array.from({ length: Number(count) });
  const results = [];
  if (order === 'at-once') results.push(...(await Promise.all(all.map(run))));
  else for (const _ of all) results.push(await run());
  writeSync(1, `${JSON.stringify({ results })}\n`);
}

main();
