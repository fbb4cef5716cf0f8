import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ModelServer, startModel } from '../../src/hosts/doctor/model-server.ts';
import type { RealAgent } from './cases/case.ts';
import { placeVariable, processesOf } from './processes.mjs';

/** A project, a home and a model of its own for one real agent. */
export interface Place {
  project: string;
  home: string;
  env: Readonly<Record<string, string>>;
  model: ModelServer;
  pathOf(file: string): string;
  read(file: string): string | undefined;
  write(file: string, text: string): void;
  /** Makes the agent's conversations old enough to be resumed. */
  age(): void;
  /** The processes that were started from here and are still there. */
  running(): number[];
  leave(): Promise<void>;
}

let count = 0;

export async function createPlace(
  agent: RealAgent,
  binFolder: string,
  beside?: Parameters<typeof startModel>[1],
): Promise<Place> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `hookloop-${agent.name}-`)));
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  for (const made of [project, home]) mkdirSync(made);
  const model = await startModel(agent.protocol, beside);
  for (const [path, text] of Object.entries(agent.files(model.url))) writeInto(home, path, text);
  writeInto(project, 'README.md', 'A project.\n');
  execFileSync('git', ['init', '-q'], { cwd: project });
  count += 1;
  const mark = `${process.env['HOOKLOOP_TEST_RUN'] ?? 'real'}:${process.pid}-${count};`;
  const env = {
    HOME: home,
    PATH: [binFolder, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    [placeVariable]: mark,
    ...agent.env(model.url),
  };
  return {
    project,
    home,
    env,
    model,
    pathOf: file => join(project, file),
    read(file) {
      try {
        return readFileSync(join(project, file), 'utf8');
      } catch {
        return undefined;
      }
    },
    write: (file, text) => writeInto(project, file, text),
    age: () => agent.age?.(home),
    running: () => processesOf(mark),
    async leave() {
      await model.close();
      for (const pid of processesOf(mark)) process.kill(pid, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function writeInto(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
}
