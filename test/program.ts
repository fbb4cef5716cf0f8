import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';
import { outermostProcess } from '../src/platform/build.ts';
import { copyBundle, shareCode } from './one-bundle.ts';

interface Bundler {
  bundleProgram(options: {
    root: string;
    outdir: string;
    version: string;
    build: string;
    outermost: number;
  }): Promise<Metafile>;
  bundleLibrary(options: { root: string; outdir: string }): Promise<unknown>;
}

export const root: string = fileURLToPath(new URL('..', import.meta.url));

/** Bundles the program as it is shipped, once in a run of the tests. */
export async function bundleInto(outdir: string): Promise<{ program: string; metafile: Metafile }> {
  return { program: join(outdir, 'hookloop.cjs'), metafile: await copyBundle(outdir, bundle) };
}

/** The library as it is shipped. */
export async function bundleLibraryInto(outdir: string): Promise<void> {
  const { bundleLibrary } = (await import(bundler)) as Bundler;
  await bundleLibrary({ root, outdir });
}

const bundler: string = join(root, 'scripts/bundle.mjs');

async function bundle(outdir: string): Promise<Metafile> {
  const { bundleProgram } = (await import(bundler)) as Bundler;
  return bundleProgram({
    ...{ root, outdir, version: '0.0.0-test', build: `test ${Date.now()}` },
    outermost: outermostProcess,
  });
}

/** A folder of the test's own, open to other users, since some tests run the program as one. */
export function temporaryFolder(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `hookloop-${name}-`)));
  chmodSync(folder, 0o755);
  return folder;
}

export interface Ran {
  exit: number | string;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Readonly<Record<string, string | undefined>>;
  input?: string | Uint8Array;
  /** A file descriptor for standard input in place of `input`. */
  stdin?: number;
  /** Runs with the rights of no one where the tests run as root, who may read and write everything. */
  unprivileged?: true;
  /** Starts this shell script instead; the program is `"$NODE" "$PROGRAM"`. */
  shell?: string;
}

/** A project and a home of their own, where the program runs in a clean environment. */
export interface World {
  project: string;
  home: string;
  /** Writes a file of the project, or with `~/` in front of the home; returns its path. */
  write(path: string, text: string | Uint8Array, mode?: number): string;
  pathOf(path: string): string;
  run(args: readonly string[], options?: RunOptions): Ran;
  /** Starts the program for a test that talks to it while it runs. */
  start(args: readonly string[], stdio: StdioOptions): ChildProcess;
}

/** Long enough for a busy machine, short enough to call it a hang. */
const limitMs = 100_000;
const nobody = 65_534;

/** With a cache of its own the program starts as on its first day, which takes longer. */
export function createWorld(folder: string, program: string, cache: 'shared' | 'own' = 'shared'): World {
  const world = mkdtempSync(join(folder, 'world-'));
  chmodSync(world, 0o755);
  const [project, home] = [join(world, 'project'), join(world, 'home')];
  for (const made of [join(project, '.git'), home]) mkdirSync(made, { recursive: true });
  for (const made of [project, home]) chmodSync(made, 0o777);
  if (cache === 'shared') shareCode(home);
  const pathOf = (path: string): string => (path.startsWith('~/') ? join(home, path.slice(2)) : join(project, path));
  const clean = { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8', NODE: process.execPath, PROGRAM: program };
  return {
    project,
    home,
    pathOf,
    write(path, text, mode = 0o644) {
      const file = pathOf(path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      chmodSync(file, mode);
      return file;
    },
    run(args, { cwd = project, env = {}, input = '', stdin, unprivileged, shell } = {}) {
      const [file, words] =
        shell === undefined ? [process.execPath, [program, ...args]] : ['sh', ['-c', shell, ...args]];
      const { status, signal, error, stdout, stderr } = spawnSync(file, words, {
        cwd,
        env: { ...clean, ...env },
        ...(unprivileged && process.getuid?.() === 0 && { uid: nobody, gid: nobody }),
        ...(stdin === undefined ? { input } : { stdio: [stdin, 'pipe', 'pipe'] as const }),
        timeout: limitMs,
        killSignal: 'SIGKILL',
        encoding: 'utf8',
        maxBuffer: 256 * 1024 * 1024,
      });
      return { exit: status ?? signal ?? String(error), stdout, stderr };
    },
    start: (args, stdio) => spawn(process.execPath, [program, ...args], { cwd: project, env: clean, stdio }),
  };
}
