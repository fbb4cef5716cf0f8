import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { presets } from '../../src/agents/presets.ts';
import { bundleInto, root, temporaryFolder } from '../program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where each agent's program is; absent: it could not be installed. */
    agentFolders: Readonly<Record<string, string>>;
    /** The program as it is shipped. */
    program: string;
  }
}

const limitMs = 300_000;

/** Installs the agents once, in the versions the presets name, each in a folder of its own outside git; builds the program. */
export async function setup(project: TestProject): Promise<() => void> {
  const built = temporaryFolder('program');
  const begunMs = performance.now();
  const [found, { program }] = await Promise.all([installAll(), bundleInto(built)]);
  const folders = found.flatMap(({ name, folder }) => (folder === undefined ? [] : [[name, folder] as const]));
  // The script that has started us says it below everything else, where no one overlooks it.
  process.env['HOOKLOOP_NOT_RUN'] = found
    .flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name} (${problem})`]))
    .join(', ');
  process.env['HOOKLOOP_SETUP_MS'] = String(Math.round(performance.now() - begunMs));
  project.provide('agentFolders', Object.fromEntries(folders));
  project.provide('program', program);
  return () => rmSync(built, { recursive: true, force: true });
}

interface Installed {
  name: string;
  folder?: string;
  problem?: string;
}

/** All at once: npm waits for the disk and for the network. */
function installAll(): Promise<Installed[]> {
  const cache = process.env['HOOKLOOP_AGENTS_DIR'] ?? join(root, 'node_modules/.cache/hookloop-agents');
  const wanted = (process.env['HOOKLOOP_AGENTS'] ?? '').split(',').filter(name => name !== '');
  const names = Object.keys(presets).filter(name => wanted.length === 0 || wanted.includes(name));
  return Promise.all(
    names.map(async name => {
      const [folder, preset] = [join(cache, name), presets[name]!];
      const problem = isInstalled(folder, preset) ? undefined : await install(folder, preset.package);
      if (problem !== undefined || !isInstalled(folder, preset))
        return { name, problem: `${preset.package} cannot be installed: ${problem ?? 'it has no program'}` };
      return { name, folder: join(folder, 'node_modules/.bin') };
    }),
  );
}

function isInstalled(folder: string, preset: { package: string; program: string }): boolean {
  const [, name = '', version = ''] = /^(.+)@([^@]+)$/.exec(preset.package) ?? [];
  try {
    const { version: found } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
    accessSync(join(folder, 'node_modules/.bin', preset.program), constants.X_OK);
    return found === version;
  } catch {
    return false;
  }
}

const npmWords = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline', '--fetch-retries=1'];

/** Returns why it failed. */
function install(folder: string, name: string): Promise<string | undefined> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  process.stderr.write(`installing ${name}\n`);
  return new Promise(resolve => {
    const npm = spawn('npm', ['install', ...npmWords, name], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const end = (): boolean => process.kill(-npm.pid!, 'SIGKILL');
    process.once('exit', end);
    let words = '';
    npm.stderr.setEncoding('utf8').on('data', chunk => {
      words += chunk;
    });
    const timer = setTimeout(end, limitMs);
    npm.once('error', error => resolve(error.message));
    npm.once('close', (exit, signal) => {
      clearTimeout(timer);
      process.off('exit', end);
      const code = /npm error code (\S+)/.exec(words)?.[1];
      resolve(exit === 0 ? undefined : (code ?? `npm ended with ${signal ?? exit}`));
    });
  });
}
