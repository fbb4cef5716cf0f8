import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './program.ts';

const entry = `
import { hook } from './cli/commands/hook.ts';
import { install } from './cli/commands/install.ts';
import { uninstall } from './cli/commands/uninstall.ts';
import { createIo, WorldError } from './cli/io.ts';
import { runCommand } from './cli/main.ts';

const [name, ...rest] = process.argv.slice(2);
const command = [hook, install, uninstall].find(known => known.name === name);
runCommand(command, rest, createIo()).then(
  code => { process.exitCode = code; },
  error => { process.exitCode = error instanceof WorldError ? 1 : 70; console.error(error.message); },
);
`;

/** A program of the commands that agents and their users call, without the rest. */
export async function bundleHostProgram(folder: string): Promise<string> {
  const outfile = join(folder, 'hookloop.cjs');
  await build({
    absWorkingDir: root,
    stdin: { contents: entry, resolveDir: join(root, 'src'), loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
  });
  return outfile;
}
