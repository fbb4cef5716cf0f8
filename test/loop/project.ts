import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { readJournal } from '../../src/journal/read.ts';
import type { SessionEntry } from '../../src/loop/recover.ts';
import type { Notice } from '../../src/model/notice.ts';
import { bundleInto, createWorld, type Ran, type World } from '../program.ts';

/** A project in which sessions run with the program as it is shipped. */
export interface Project extends World {
  /** Runs `hookloop run` with a scripted agent. */
  session(args: readonly string[]): Ran;
  /** Starts the program and does not wait. */
  start(args: readonly string[]): Started;
  read(path: string): string;
  journal(session: string): SessionEntry[];
}

export interface Started {
  process: ChildProcess;
  stderr(): string;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface Bundled {
  folder: string;
  program: string;
  project(files: Readonly<Record<string, string>>): Project;
}

/** Bundles the program for the time of one test file. */
export async function bundleForTests(): Promise<Bundled> {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-loop-'));
  const { program } = await bundleInto(join(folder, 'bin'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, program, project: files => createProject(folder, program, files) };
}

function createProject(folder: string, program: string, files: Readonly<Record<string, string>>): Project {
  const world = createWorld(folder, program);
  for (const [path, text] of Object.entries(files)) world.write(path, text);
  return {
    ...world,
    session: args => world.run(['run', '--agent', 'scripted:script.yaml', '--session', 's', ...args]),
    read: path => readFileSync(world.pathOf(path), 'utf8'),
    journal(session) {
      const reading = readJournal(world.pathOf(`.hookloop/sessions/${session}/journal.jsonl`));
      if (reading.kind !== 'read') throw new Error(`the journal is ${reading.kind}`);
      return reading.entries as SessionEntry[];
    },
    start(args) {
      const child = spawn(process.execPath, [program, ...args], {
        cwd: world.project,
        env: { PATH: process.env['PATH'], HOME: world.home, LANG: 'C.UTF-8' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let stderr = '';
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      child.stdout.resume();
      const ended = new Promise<Awaited<Started['ended']>>(resolve =>
        child.once('close', (code, signal) => resolve({ code, signal })),
      );
      return { process: child, stderr: () => stderr, ended };
    },
  };
}

/** What `--json` printed. */
export const noticesOf = ({ stdout }: Ran): Notice[] =>
  stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Notice);

/** Polls until the condition holds; fails the test if it does not in time. */
export async function eventually(condition: () => boolean, withinMs = 15_000): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`did not happen within ${withinMs} ms: ${condition}`);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
