// Proves the agents with real ones: installs them once, and runs test/agents against models scripted on loopback.
// usage: node scripts/test-agents.mjs [AGENT...]
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startVitest } from 'vitest/node';

const agents = process.argv.slice(2);
if (agents.length > 0) process.env.HOOKLOOP_AGENTS = agents.map(agent => agent.split('.')[0]).join(',');
process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));

const vitest = await startVitest(
  'test',
  agents.map(agent => `/agents/${agent}.`),
  {
    config: false,
    watch: false,
    include: ['test/agents/*.suite.ts'],
    globalSetup: 'test/agents/install.ts',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
);
printTable(vitest.state.getTestModules());
await vitest.close();

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
