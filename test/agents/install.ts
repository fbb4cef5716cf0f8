import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { presets } from '../../src/agents/presets/table.ts';
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

/** Installs the agents once, in the versions the presets name, each in a folder of its own outside of git; builds the program. */
export async function setup(project: TestProject): Promise<() => void> {
  const cache = process.env['HOOKLOOP_AGENTS_DIR'] ?? join(root, 'node_modules/.cache/hookloop-agents');
  const wanted = (process.env['HOOKLOOP_AGENTS'] ?? '').split(',').filter(name => name !== '');
  const folders: Record<string, string> = {};
  for (const [name, preset] of Object.entries(presets)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const folder = join(cache, name);
    const problem = isInstalled(folder, preset) ? undefined : await install(folder, preset.package);
    if (problem === undefined && isInstalled(folder, preset)) folders[name] = join(folder, 'node_modules/.bin');
    else sayLast(`!!! ${name} is NOT TESTED: ${preset.package} cannot be installed (${problem ?? 'no program'})`);
  }
  project.provide('agentFolders', folders);
  const built = temporaryFolder('program');
  project.provide('program', (await bundleInto(built)).program);
  return () => rmSync(built, { recursive: true, force: true });
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

/** Returns why it failed. */
function install(folder: string, name: string): Promise<string | undefined> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  say(`installing ${name}`);
  return new Promise(resolve => {
    const npm = spawn('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', name], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let words = '';
    npm.stderr.setEncoding('utf8').on('data', chunk => {
      words += chunk;
    });
    const timer = setTimeout(() => process.kill(-npm.pid!, 'SIGKILL'), limitMs);
    npm.once('error', error => resolve(error.message));
    npm.once('close', (exit, signal) => {
      clearTimeout(timer);
      const code = /npm error code (\S+)/.exec(words)?.[1];
      resolve(exit === 0 ? undefined : (code ?? `npm ended with ${signal ?? exit}`));
    });
  });
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Below everything else, where nobody overlooks it. */
function sayLast(line: string): void {
  process.once('exit', () => say(line));
}
