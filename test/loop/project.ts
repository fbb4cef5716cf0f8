import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Notice } from '../../src/model/notice.ts';
import type { SessionEntry } from '../../src/model/record.ts';
import { readJournal } from '../../src/session/file-store/fixtures/read-journal.ts';
import { bundleInto, createWorld, type Ran, type RunOptions, type World } from '../program.ts';

/** A project in which sessions run with the program as it is shipped. */
export interface Project extends Omit<World, 'start'> {
  /** Runs `hookloop run` with a scripted agent. */
  session(args: readonly string[]): Ran;
  /** Runs `hookloop run` with the agent of `diary`. */
  talk(args: readonly string[], options?: RunOptions): Ran;
  /** What the agent of `diary` was told, prompt by prompt. */
  heard(): Heard[];
  /** Starts the program and does not wait. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Started;
  read(path: string): string;
  /** The lines of a file that hooks and agents write to; none where it does not exist. */
  lines(path: string): string[];
  journal(session: string): SessionEntry[];
}

export interface Heard {
  conversation: string;
  text: string;
}

export interface Started {
  process: ChildProcess;
  stdout(): string;
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
  world.write('~/hookloop', `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, 0o755);
  const lines = (path: string): string[] =>
    existsSync(world.pathOf(path)) ? readFileSync(world.pathOf(path), 'utf8').split('\n').slice(0, -1) : [];
  return {
    lines,
    talk: (args, options) => world.run(['run', '--agent', diaryAgent, '--session', 's', ...args], options),
    heard: () =>
      lines('~/conversations').map((conversation, index) => ({
        conversation,
        text: readFileSync(world.pathOf(`~/heard-${index + 1}`), 'utf8'),
      })),
    ...world,
    session: args => world.run(['run', '--agent', 'scripted:script.yaml', '--session', 's', ...args]),
    read: path => readFileSync(world.pathOf(path), 'utf8'),
    journal(session) {
      const reading = readJournal(world.pathOf(`.hookloop/sessions/${session}/journal.jsonl`));
      if (reading.kind !== 'read') throw new Error(`the journal is ${reading.kind}`);
      return reading.entries as SessionEntry[];
    },
    start(args, env = {}) {
      const child = spawn(process.execPath, [program, ...args], {
        cwd: world.project,
        env: { PATH: process.env['PATH'], HOME: world.home, LANG: 'C.UTF-8', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let stderr = '';
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      let stdout = '';
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
      });
      const ended = new Promise<Awaited<Started['ended']>>(resolve =>
        child.once('close', (code, signal) => resolve({ code, signal })),
      );
      return { process: child, stdout: () => stdout, stderr: () => stderr, ended };
    },
  };
}

export const diaryAgent = 'command:sh ~/agent.sh {session}';

/**
 * An agent that writes down what it is told and in which conversation. In turn N it runs the script given for N, in
 * others that for 0; then it says `answer N`. `~/hookloop` is the program.
 */
export const diary = (turns: Readonly<Record<number, string>> = {}): Record<string, string> => ({
  '~/agent.sh': `
turn=$(($(cat ~/turns 2>/dev/null || echo 0) + 1))
echo $turn > ~/turns
cat > ~/heard-$turn
echo "$1" >> ~/conversations
script=~/turn-$turn.sh
[ -e $script ] || script=~/turn-0.sh
[ -e $script ] && . $script
echo "answer $turn"
`,
  ...Object.fromEntries(Object.entries(turns).map(([turn, script]) => [`~/turn-${turn}.sh`, script])),
});

/** Processes that carry the mark of this session's runs. */
export function processesOf(project: Project, session = 's'): number[] {
  const marks = project.journal(session).flatMap(entry => ('run' in entry ? [entry.run.mark] : []));
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(pid => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
        return marks.some(mark => environment.includes(mark));
      } catch {
        return false;
      }
    })
    .map(Number);
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
