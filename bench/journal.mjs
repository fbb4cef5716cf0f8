import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeProject } from './projects.mjs';

/** What a very long journal costs whoever looks at it: seconds of the processor and the most memory, and when `log` begins to tell. */
export async function measureJournal({ folder, program, megabytes }) {
  const world = writeProject(folder, { 'script.yaml': 'repeat: true\nturns:\n  - text: ok\n' });
  const options = { cwd: world.project, env: { PATH: process.env.PATH, HOME: world.home, LANG: 'C.UTF-8' } };
  const start = [
    'run',
    '--prompt',
    'x',
    '--agent',
    'scripted:script.yaml',
    '--session',
    'big',
    '--max-iterations',
    '2',
  ];
  execFileSync(process.execPath, [program, ...start, '--quiet'], { ...options, stdio: 'ignore' });
  const records = prolong(join(world.project, '.hookloop/sessions/big/journal.jsonl'), megabytes * 1e6);
  const rows = [
    ['show, nothing kept', ['show', 'big']],
    ['show', ['show', 'big']],
    ['show --json', ['show', 'big', '--json']],
    ['runs', ['runs']],
  ].map(([name, args]) => ({ name, ...usageOf([program, ...args], options) }));
  const firstLineMs = await firstLine([program, 'log', 'big'], options);
  rmSync(folder, { recursive: true, force: true });
  return { megabytes, records, rows, firstLineMs };
}

export const journalTable = ({ megabytes, records, rows, firstLineMs }) =>
  [
    `A journal of ${megabytes} MB, ${records.toLocaleString('en')} records:`,
    ...rows.map(({ name, seconds, mb }) => `${name.padEnd(20)} ${seconds.toFixed(2)} s  ${Math.round(mb)} MB`),
    `${'log, its first line'.padEnd(20)} ${(firstLineMs / 1000).toFixed(2)} s`,
  ].join('\n');

/** Repeats the records of the first iteration, each time with three hooks that print 10 KB. Returns how many there are. */
function prolong(journal, bytes) {
  const entries = readFileSync(journal, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line.slice(9)));
  const first = entries.findIndex(({ key }) => key === 's0/i1');
  const last = entries.findIndex(({ kind, key }) => kind === 'step.done' && key === 's0/i1');
  const { at } = entries[first];
  const stdout = 'a line that a hook has printed, of usual length\n'.repeat(210);
  const outcome = { kind: 'exited', exitCode: 0, stdout, stderr: '' };
  const result = { status: 'finished', outcome, verdict: { kind: 'passed' }, decision: { kind: 'proceed' } };
  const file = openSync(journal, 'w');
  let [seq, written, text] = [0, 0, ''];
  const put = (entry, isLast = false) => {
    seq += 1;
    const json = JSON.stringify({ ...entry, seq });
    text += `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
    if (text.length > 1e6 || isLast) {
      written += writeSync(file, text);
      text = '';
    }
  };
  for (const entry of entries.slice(0, first)) put(entry);
  for (let iteration = 1; written < bytes; iteration += 1) {
    const key = `s0/i${iteration}`;
    for (const entry of entries.slice(first, last))
      put({ ...entry, ...(entry.key && { key: entry.key.replace('s0/i1', key) }) });
    for (const hook of ['lint', 'test', 'types']) {
      const run = { at, key: `${key}/gate#${hook}`, hook, name: hook, event: 'turn.ending' };
      put({ kind: 'hook.started', ...run, attempt: 1 });
      put({ kind: 'hook.finished', ...run, result: { ...result, hook, attempts: 1, durationMs: 12 } });
    }
    put({ ...entries[last], key });
  }
  put({ kind: 'session.closed', at, status: 'interrupted' }, true);
  closeSync(file);
  return seq;
}

const report = `process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
require('node:fs').writeSync(2, '\\nusage ' + JSON.stringify({ seconds: (userCPUTime + systemCPUTime) / 1e6, mb: maxRSS / 1000 })) })`;

function usageOf(args, options) {
  const told = `data:text/javascript,${encodeURIComponent(`import { createRequire } from 'node:module'; const require = createRequire('/'); ${report}`)}`;
  const { stderr } = spawnSync(process.execPath, ['--import', told, ...args], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  return JSON.parse(/usage (\{.*\})/.exec(stderr)[1]);
}

function firstLine(args, options) {
  const from = performance.now();
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise(resolve => {
    child.stdout.once('data', () => {
      child.kill('SIGKILL');
      resolve(performance.now() - from);
    });
  });
}
