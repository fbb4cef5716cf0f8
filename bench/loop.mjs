import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { measureInTurn, median } from './measure.mjs';
import { writeProject } from './projects.mjs';

/** What the loop costs beside the agent, how it behaves when it is long, and how fast it comes back. */
export async function measureLoop({ folder, program, rounds, quick }) {
  const world = writeProject(folder, { 'script.yaml': 'repeat: true\nturns:\n  - text: ok\n' });
  return {
    iteration: await costOfIteration(world, program, rounds),
    long: await longSession(world, program, quick ? 1000 : 10_000),
    resume: await resumeLarge(world, program, quick ? 3 : 9),
  };
}

const envOf = ({ home }) => ({ PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' });

/** Many iterations with an agent that is one empty process each, against the same processes alone; both less one start of Node. */
async function costOfIteration(world, program, rounds) {
  const iterations = 50;
  let count = 0;
  const run = (agent, session, many) =>
    timed(() =>
      execFileSync(
        process.execPath,
        [
          program,
          'run',
          '--prompt',
          'x',
          '--agent',
          agent,
          '--session',
          session,
          '--max-iterations',
          String(many),
          '--quiet',
        ],
        { cwd: world.project, env: envOf(world), stdio: 'ignore' },
      ),
    );
  const alone = `const {spawn}=require('node:child_process');(async()=>{for(let i=0;i<${iterations};i++)await new Promise(r=>{const c=spawn('sh',['-c','exec true'],{stdio:['pipe','pipe','pipe'],detached:true});c.stdin.end();c.stdout.resume();c.stderr.resume();c.on('close',r)})})()`;
  const name = () => {
    count += 1;
    return `b${count}`;
  };
  const rows = await measureInTurn(
    [
      {
        name: 'processes',
        run: () => timed(() => execFileSync(process.execPath, ['-e', alone], { env: envOf(world), stdio: 'ignore' })),
      },
      {
        name: 'node',
        run: () => timed(() => execFileSync(process.execPath, ['-e', '0'], { env: envOf(world), stdio: 'ignore' })),
      },
      { name: 'loop', run: () => run('command:true', name(), iterations) },
      { name: 'one', run: () => run('command:true', name(), 1) },
    ],
    { rounds: Math.max(3, Math.floor(rounds / 4)), base: 'processes' },
  );
  const ms = Object.fromEntries(rows.map(row => [row.name, row.ms]));
  const agentMs = (ms.processes - ms.node) / iterations;
  const loopMs = (ms.loop - ms.one) / (iterations - 1);
  return { agentMs, loopMs, ownMs: loopMs - agentMs, ratio: loopMs / agentMs };
}

function timed(work) {
  const from = performance.now();
  work();
  return performance.now() - from;
}

/** Memory and the time an iteration takes, early and late. */
async function longSession(world, program, iterations) {
  const args = ['run', '--prompt', 'x', '--agent', 'scripted:script.yaml', '--session', 'long', '--quiet'];
  const child = spawn(process.execPath, [program, ...args, '--max-iterations', String(iterations)], {
    cwd: world.project,
    env: envOf(world),
    stdio: 'ignore',
  });
  const ended = new Promise(resolve => child.once('close', resolve));
  const samples = [];
  let isOver = false;
  ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    const rss = Number(/VmRSS:\s+(\d+)/.exec(tryRead(`/proc/${child.pid}/status`))?.[1] ?? 0);
    if (rss > 0) samples.push(rss / 1000);
    await sleep(50);
  }
  if ((await ended) !== 0) throw new Error('the long session failed');
  const lines = readFileSync(journalOf(world, 'long'), 'utf8').trimEnd().split('\n');
  const done = lines
    .map(line => JSON.parse(line.slice(9)))
    .filter(({ kind, key }) => kind === 'step.done' && /^s0\/i\d+$/.test(key))
    .map(({ at }) => Date.parse(at));
  const tenth = Math.floor(iterations / 10);
  const third = Math.floor(samples.length / 3);
  return {
    iterations,
    records: lines.length,
    earlyMs: (done[tenth] - done[0]) / tenth,
    lateMs: (done.at(-1) - done.at(-1 - tenth)) / tenth,
    earlyMb: median(samples.slice(third, third + Math.max(1, Math.floor(third / 3)))),
    lateMb: median(samples.slice(-Math.max(1, Math.floor(third / 3)))),
  };
}

/** A journal of 100,000 records whose last iteration is open: the whole of `resume` against that of a short one. */
async function resumeLarge(world, program, rounds) {
  const records = 100_000;
  const times = { large: [], small: [] };
  let count = 0;
  const sizes = { large: records, small: 100 };
  for (let round = 0; round < rounds; round += 1)
    for (const size of ['large', 'small']) {
      count += 1;
      const session = `r${count}`;
      makeSession(world, program, session, sizes[size]);
      const from = performance.now();
      const { status, stderr } = spawnSync(process.execPath, [program, 'resume', session, '--quiet'], {
        cwd: world.project,
        env: envOf(world),
        encoding: 'utf8',
      });
      times[size].push(performance.now() - from);
      if (status !== 0) throw new Error(`resume failed: ${stderr}`);
      rmSync(dirname(journalOf(world, session)), { recursive: true, force: true });
    }
  return { records, largeMs: median(times.large), smallMs: median(times.small) };
}

const journalOf = ({ project }, session) => join(project, '.hookloop/sessions', session, 'journal.jsonl');

/** Takes a real session's records and repeats those of its first iteration under new names. */
function makeSession(world, program, session, records) {
  const perIteration = 12;
  const iterations = Math.floor(records / perIteration);
  const template = ['run', '--prompt', 'x', '--agent', 'scripted:script.yaml', '--session', session, '--quiet'];
  execFileSync(process.execPath, [program, ...template, '--max-iterations', '2'], {
    cwd: world.project,
    env: envOf(world),
    stdio: 'ignore',
  });
  const journal = journalOf(world, session);
  const entries = readFileSync(journal, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line.slice(9)));
  const first = entries.findIndex(({ key }) => key === 's0/i1');
  const end = entries.findIndex(({ kind, key }) => kind === 'step.done' && key === 's0/i1') + 1;
  const head = entries.slice(0, first);
  head[0].plan.stages[0].termination.iterations = iterations + 1;
  const body = entries.slice(first, end);
  const all = [...head];
  for (let iteration = 1; all.length < records; iteration += 1)
    for (const entry of body)
      all.push({ ...entry, ...(entry.key && { key: entry.key.replace('s0/i1', `s0/i${iteration}`) }) });
  mkdirSync(dirname(journal), { recursive: true });
  head[0].plan.stages[0].termination.iterations = Math.ceil((all.length - head.length) / body.length) + 1;
  writeFileSync(journal, '');
  let text = '';
  for (const [index, entry] of all.entries()) {
    const json = JSON.stringify({ ...entry, seq: index + 1 });
    text += `${(crc32(json) >>> 0).toString(16).padStart(8, '0')} ${json}\n`;
    if (text.length > 4e6) {
      appendFileSync(journal, text);
      text = '';
    }
  }
  appendFileSync(journal, text);
}

function tryRead(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
