import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { shareCode } from './one-bundle.ts';
import { bundleInto, bundleLibraryInto, type Ran, root, temporaryFolder } from './program.ts';

/** The program and the library as they are shipped, in a folder under which both are found as after an installation. */
export interface Installed {
  folder: string;
  /** Runs a script in a shell with a clean environment, where `hookloop` is the program. */
  runShell(script: string, where: Where): Ran & { exit: number };
}

export interface Where {
  cwd: string;
  home: string;
  input?: string;
  env?: Readonly<Record<string, string>>;
}

/** Takes some seconds: call `install` in `beforeAll`. */
export function createInstalled(name: string): Installed & { install(): Promise<void> } {
  const folder = temporaryFolder(name);
  const bin = join(folder, 'bin');
  return {
    folder,
    async install() {
      await bundleInto(bin);
      symlinkSync('hookloop.cjs', join(bin, 'hookloop'));
    },
    runShell(script, { cwd, home, input = '', env = {} }) {
      shareCode(home);
      const clean = { PATH: `${bin}:${process.env['PATH']}`, HOME: home, LANG: 'C.UTF-8', ...env };
      const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { cwd, env: clean, input, encoding: 'utf8' });
      return { exit: status ?? -1, stdout, stderr };
    },
  };
}

/** For programs under the folder, which import `hookloop`. */
export async function installLibrary({ folder }: Installed): Promise<void> {
  const library = join(folder, 'node_modules/hookloop');
  mkdirSync(library, { recursive: true });
  cpSync(join(root, 'package.json'), join(library, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(library, 'node_modules'));
  const args = ['-p', 'tsconfig.build.json', '--outDir', join(library, 'dist/lib')];
  execFileSync(join(root, 'node_modules/.bin/tsc'), args, { cwd: root });
  await bundleLibraryInto(join(library, 'dist/lib'));
  symlinkSync(join(folder, 'bin'), join(library, 'dist/bin'));
}
