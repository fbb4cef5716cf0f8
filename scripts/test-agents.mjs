// Proves the agents with real ones: installs them once, and runs test/agents against models scripted on loopback.
// usage: node scripts/test-agents.mjs [--write-matrix] [--limit SECONDS] [AGENT | AGENT.hosts | AGENT.in-session ...]
// Agents that cannot be installed are not run, which the last line says.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { readSeen, settleMatrix } from '../test/agents/matrix.mjs';
import { endProcessesOf } from '../test/agents/processes.mjs';
import { SlowFirst } from '../test/agents/sequence.mjs';
import { printTable } from '../test/agents/table.mjs';

const { values, positionals: agents } = parseArgs({
  allowPositionals: true,
  options: { 'write-matrix': { type: 'boolean' }, limit: { type: 'string' } },
});
const run = `${process.pid}-${Date.now()}`;
const seenFolder = mkdtempSync(join(tmpdir(), 'hookloop-seen-'));
process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
process.env.HOOKLOOP_SEEN_DIR = seenFolder;
process.env.HOOKLOOP_TEST_RUN = run;
if (agents.length > 0) process.env.HOOKLOOP_AGENTS = agents.map(agent => agent.split('.')[0]).join(',');
const timer = values.limit === undefined ? undefined : setTimeout(giveUp, wholeSeconds(values.limit) * 1000);

const begunMs = performance.now();
const modules = await runSuites(agents.map(agent => `/agents/${agent}.`));
const isGood = modules.every(module => module.state() !== 'failed');
clearTimeout(timer);
printTable(modules, Number(process.env.HOOKLOOP_SETUP_MS), performance.now() - begunMs);
const isWriting = values['write-matrix'] && isGood;
const complaint = settleMatrix('docs/agents.md', readSeen(seenFolder), isWriting);
rmSync(seenFolder, { recursive: true, force: true });
if (complaint !== undefined) process.stderr.write(`${complaint}\n`);
if (process.env.HOOKLOOP_NOT_RUN) process.stderr.write(`!!! NOT RUN: ${process.env.HOOKLOOP_NOT_RUN}\n`);
process.exitCode = isGood && complaint === undefined ? 0 : 1;

async function runSuites(filters) {
  const vitest = await startVitest(
    'test',
    filters,
    {
      config: false,
      watch: false,
      include: ['test/agents/*.suite.ts'],
      globalSetup: 'test/agents/install.ts',
      pool: 'forks',
      // Agents wait now and then, for hooks and for each other.
      maxWorkers: availableParallelism() + 1,
      sequence: { sequencer: SlowFirst },
      testTimeout: 120_000,
      hookTimeout: 60_000,
    },
    { define: { __HOOKLOOP_OUTERMOST__: process.pid } },
  );
  const found = vitest.state.getTestModules();
  await vitest.close();
  return found;
}

function wholeSeconds(text) {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  process.stderr.write(`--limit takes a whole number of seconds, not ${text}\n`);
  process.exit(64);
}

/** Nothing that was started may be left, whatever it is doing. The exit code is one that no failed test has. */
function giveUp() {
  endProcessesOf(run);
  rmSync(seenFolder, { recursive: true, force: true });
  process.stderr.write(`!!! ENDED after ${values.limit} s (--limit): the agents are NOT PROVEN\n`);
  process.exit(75);
}
