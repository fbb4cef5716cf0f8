// Proves the agents with real ones: installs them once, and runs test/agents against models scripted on loopback.
// usage: node scripts/test-agents.mjs [--write-matrix] [AGENT | AGENT.hosts | AGENT.bridge ...]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startVitest } from 'vitest/node';
import { readSeen, settleMatrix } from '../test/agents/matrix.mjs';

const isWriting = process.argv.includes('--write-matrix');
const agents = process.argv.slice(2).filter(word => word !== '--write-matrix');
if (agents.length > 0) process.env.HOOKLOOP_AGENTS = agents.map(agent => agent.split('.')[0]).join(',');
process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const seenFolder = mkdtempSync(join(tmpdir(), 'hookloop-seen-'));
process.env.HOOKLOOP_SEEN_DIR = seenFolder;

let modules = await runSuites(agents.map(agent => `/agents/${agent}.`));
const failed = failedOf(modules);
if (failed.length > 0) {
  // Whole files: their tests build on each other. Agents start slowly on a busy machine.
  console.log(`once more: ${failed.map(({ relativeModuleId }) => relativeModuleId).join(', ')}`);
  const again = await runSuites(failed.map(({ relativeModuleId }) => relativeModuleId));
  modules = [...modules.filter(module => !failed.includes(module)), ...again];
}
printTable(modules);
const complaint = settleMatrix('docs/agents.md', readSeen(seenFolder), isWriting && failedOf(modules).length === 0);
rmSync(seenFolder, { recursive: true, force: true });
if (complaint !== undefined) process.stderr.write(`${complaint}\n`);
process.exitCode = failedOf(modules).length > 0 || complaint !== undefined ? 1 : 0;

async function runSuites(filters) {
  const vitest = await startVitest('test', filters, {
    config: false,
    watch: false,
    include: ['test/agents/*.suite.ts'],
    globalSetup: 'test/agents/install.ts',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  });
  const found = vitest.state.getTestModules();
  await vitest.close();
  return found;
}

function failedOf(modules) {
  return modules.filter(module => module.state() === 'failed');
}

/** What was proven, agent by agent, in seconds. */
function printTable(modules) {
  const columns = new Map();
  const rows = new Set();
  for (const module of modules)
    for (const test of module.children.allTests()) {
      const agent = test.fullName.split(' > ')[0];
      rows.add(test.name);
      if (!columns.has(agent)) columns.set(agent, new Map());
      columns.get(agent).set(test.name, test);
    }
  if (columns.size === 0) return;
  const names = [...columns.keys()].sort();
  const width = Math.max(...[...rows].map(row => row.length));
  const line = (title, cells) => console.log(`${title.padEnd(width)}  ${cells.map(cell => cell.padStart(9)).join('')}`);
  line('', names);
  for (const row of rows)
    line(
      row,
      names.map(name => cellOf(columns.get(name).get(row))),
    );
  line(
    'seconds in all',
    names.map(name => secondsOf([...columns.get(name).values()])),
  );
}

function cellOf(test) {
  const state = test?.result().state;
  if (state === 'passed') return secondsOf([test]);
  return state === 'failed' ? 'FAILED' : state === undefined ? '' : 'skipped';
}

function secondsOf(tests) {
  const ms = tests.reduce((sum, test) => sum + (test.diagnostic()?.duration ?? 0), 0);
  return (ms / 1000).toFixed(1);
}
