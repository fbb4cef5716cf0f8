import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundleForTests, type Project } from '../loop/project.ts';
import { type Gate, gates, printing } from './gates.ts';
import { type Way, ways } from './ways.ts';

const bundled = await bundleForTests();
const receiver = await startReceiver();
afterAll(() => void receiver.process.kill());

const projectOf = (gate: Gate, way: Way): Project => {
  const project = bundled.project({ ...way.files, ...gate.files(way.moment) });
  for (const [path, text] of Object.entries(gate.scripts?.(way.moment) ?? {})) project.write(path, text, 0o755);
  return project;
};

const all = gates(receiver.port);

/** What every agent of ours makes of an answer is the same for all hooks: these few go through each of them. */
const throughAll = [
  'native: a named command',
  'native: a question',
  'nyzhi: block',
  'Claude-style: JSON with words',
  'sauna',
];

function isTried(gate: Gate, way: Way): boolean {
  if (!gate.moments.includes(way.moment) || (gate.runBy !== undefined && gate.runBy === way.agent)) return false;
  if (throughAll.includes(gate.title)) return true;
  // Other formats read an answer by its event. A native gate means the same everywhere.
  if (way.title === 'dispatch' && !gate.title.startsWith('native: ')) return true;
  return way.agent === undefined ? way.moment === gate.moments[0] : way.agent === 'codex' && way.moment === 'tool';
}

const pairs = all.flatMap(gate =>
  ways.filter(way => isTried(gate, way)).map(way => [gate.title, `${way.title} (${way.moment})`, gate, way] as const),
);

test.each(pairs)('%s: the agent is told all there is to tell, through %s', async (_gate, _way, gate, way) => {
  const told = way.asksUser && gate.asks !== undefined ? gate.asks : gate.told(way.moment, way.tool);
  // Where an agent reads what we print for people, it stands beside that.
  const texts = (await way.tell(projectOf(gate, way))).map(text =>
    text.replace(/^(?:asks a person|answer with): .*\n/gm, ''),
  );
  expect(texts).toContain(told);
});

const long = 'seq 1 20000; exit 1';
const longGates: readonly Gate[] = all
  .filter(({ title }) => ['native: a text', 'nyzhi: block', 'Claude-style: onFailure: block', 'sauna'].includes(title))
  .map(gate => ({
    ...gate,
    files: moment =>
      Object.fromEntries(
        Object.entries(gate.files(moment)).map(([path, text]) => [
          path,
          text.replaceAll(JSON.stringify(printing), JSON.stringify(long)),
        ]),
      ),
  }));

test.each(
  longGates.flatMap(gate =>
    ways
      .filter(
        ({ title, moment }) => moment === 'task' && ['run', 'dispatch', 'hook qwen TodoCompleted'].includes(title),
      )
      .map(way => [gate.title, way.title, gate, way] as const),
  ),
)('%s: of a long text head and tail are told through %s, and where all of it is', async (_gate, _way, gate, way) => {
  const project = projectOf(gate, way);
  const text = (await way.tell(project)).find(told => told.includes('more lines'))!;
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024);
  expect(text).toMatch(/^Hook .*seq 1 20000; exit 1[\s\S]*\n1\n2\n3\n[\s\S]*\n19999\n20000/);
  const path = /^\.\.\. \(\d{1,2},\d{3} more lines: (\S+)\)$/m.exec(text)![1]!;
  expect(readFileSync(resolve(project.project, path), 'utf8')).toContain('\n10000\n');
});

/** A process of its own, since this one waits for the program. */
async function startReceiver(): Promise<{ port: number; process: ChildProcess }> {
  const answer = `(_, answer) => { answer.statusCode = 403; answer.end('not on a Friday'); }`;
  const script = `const s = require('node:http').createServer(${answer}).listen(0, '127.0.0.1', () => console.log(s.address().port))`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await new Promise<[Buffer]>(resolve => child.stdout.once('data', chunk => resolve([chunk])));
  return { port: Number(line.toString()), process: child };
}
